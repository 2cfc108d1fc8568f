"""Compares conversions with ffmpeg's, and runs the program on damaged inputs."""
