import type { Schemas } from '../../api/client';

type Named = Pick<Schemas['Contact'], 'name' | 'email' | 'phone' | 'external_id'>;

/** Returns what a contact is called: its name, or else an address of it. */
export const contactNameOf = ({ name, email, phone, external_id }: Named): string =>
  name || email || phone || external_id || 'Nameless contact';
