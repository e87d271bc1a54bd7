/** How lists of the API are read page by page. */
export const PAGES = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { next: string | null }) => page.next ?? undefined,
};
