"""A sweep judged: arms and seeds from result files, the contrasts named beforehand, and one verdict.

`sweep` reads the files, `scores` measures one run, `measures` lists what arms are contrasted on, `contrast`
does it, `arms` and `families` describe the arms, `aims` and `verdict` say what came out, `tables` and `write`
show it, `curves`, `forest` and `worst_tasks` draw.
"""
