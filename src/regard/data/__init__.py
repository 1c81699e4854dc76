"""From what a person has to tensors, and back: tables, columns with their units, batches of like length."""
