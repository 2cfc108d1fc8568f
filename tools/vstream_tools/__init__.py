"""Set-up, checks and measurements of vstream. The commands are links in scripts/ to tools/run."""
