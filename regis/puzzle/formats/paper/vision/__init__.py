"""Pictures of pages: squares found and laid flat, text read by Tesseract, in a process of its own."""
