"""Episodes: played, graded, charged, recorded and scored."""
