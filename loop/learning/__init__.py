"""What plays and learns, and how it is started on demonstrations."""
