"""What fiel ships for other people's tests. Knows no command line."""
