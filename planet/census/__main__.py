"""`python -m planet.census`."""

from planet.census.command import main

raise SystemExit(main())
