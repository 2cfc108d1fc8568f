"""Measurements of accuracy: vstream's tracks beside those of other trackers, and faces that a redaction leaves uncovered."""
