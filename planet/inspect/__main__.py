"""`python -m planet.inspect`."""

from planet.inspect.command import main

raise SystemExit(main())
