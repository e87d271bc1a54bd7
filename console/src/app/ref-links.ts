import type { LinkProps } from '@tanstack/react-router';
import type { Schemas } from '../api/client';

/** The page of each kind of thing. Kinds without a page are not here. */
const PAGES: Record<string, (id: string) => LinkProps> = {
  session: (id) => ({ to: '/s/$id', params: { id }, search: {} }),
  contact: (contactId) => ({ to: '/contacts/$contactId', params: { contactId }, search: {} }),
  sequence: (sequenceId) => ({ to: '/outbound/$sequenceId', params: { sequenceId }, search: {} }),
  delivery: (open) => ({ to: '/outbound/deliveries', search: { open } }),
  suppression: () => ({ to: '/outbound/suppressions', search: {} }),
  domain: () => ({ to: '/outbound/domains' }),
  workflow: (id) => ({ to: '/automations/$id', params: { id }, search: {} }),
  run: (runId) => ({ to: '/automations/runs/$runId', params: { runId }, search: {} }),
  article: (articleId) => ({ to: '/knowledge/help-center/$articleId', params: { articleId } }),
  website: (websiteId) => ({ to: '/knowledge/websites/$websiteId', params: { websiteId }, search: {} }),
  assistant_call: (id) => ({ to: '/assistants', search: { id } }),
};

/** Returns where the page of a thing is, if it has one. */
export const linkTo = ({ kind, id }: Schemas['ItemRef']): LinkProps | undefined => PAGES[kind]?.(id);
