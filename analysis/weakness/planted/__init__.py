"""How well the report finds weaknesses that are known: scripted agents on PLANET's own worlds."""
