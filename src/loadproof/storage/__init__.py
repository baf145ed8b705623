"""Read-only access to the bytes of a checkpoint folder."""

from loadproof.storage.folder import Folder, folder_of, open_folder
from loadproof.storage.guarded import GuardedFile, UnreadableError
from loadproof.storage.paths import plain, why_unsafe

__all__ = ["Folder", "GuardedFile", "UnreadableError", "folder_of", "open_folder", "plain", "why_unsafe"]
