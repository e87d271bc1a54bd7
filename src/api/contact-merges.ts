import type { ContactMergePort } from '../contacts/merging/parts.port.ts';
import { channelUsersOfContacts } from '../contacts/merging/users.ts';
import { sessionsOfContacts } from '../conversations/contact-sessions.ts';
import { deliveriesOfContacts } from '../deliveries/ports.ts';
import { insertSuppressions, listMissingSuppressions } from '../deliveries/suppressions/service.ts';
import { casesOfContacts } from '../evals/contact-cases.ts';
import { enrollmentsOfContacts } from '../sequences/merging/service.ts';
import { visitorsOfContacts } from '../widget/merging/service.ts';

/** What merges of contacts need of all domains. Enrollments come before the deliveries that they decide about. */
export const contactMergePort: ContactMergePort = {
  parts: [
    sessionsOfContacts,
    enrollmentsOfContacts,
    deliveriesOfContacts,
    channelUsersOfContacts,
    visitorsOfContacts,
    casesOfContacts,
  ],
  listMissingOptOuts: listMissingSuppressions,
  suppress: insertSuppressions,
};
