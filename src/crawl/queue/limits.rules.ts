/** Maximum URLs stored per datasource: queued for fetching, and refused. Further URLs are only counted. */
export const MAX_KNOWN_URLS = { queued: 50_000, refused: 10_000 };
