"""`python -m planet.serve`."""

from planet.serve.command import main

raise SystemExit(main())
