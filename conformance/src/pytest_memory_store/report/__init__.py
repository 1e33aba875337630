"""What a run says: the verdict, and its writers for people and for machines."""
