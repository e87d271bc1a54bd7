/** How many URLs a datasource may know of: those that are fetched, and those that are not. More are counted only. */
export const MAX_KNOWN_URLS = { queued: 50_000, refused: 10_000 };
