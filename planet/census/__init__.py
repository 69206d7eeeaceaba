"""How large and varied a folder of worlds is, beside the numbers that the library was designed for.

`environment` reads worlds one by one, `measure` counts them, `rarefaction` says what uniform draws reach,
`design` holds the numbers to compare with, `tables` shows both.
"""
