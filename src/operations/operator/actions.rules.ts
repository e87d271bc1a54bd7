/** What operators do, by the names that the database allows. */
export const OPERATOR_ACTIONS = [
  'sending_paused',
  'sending_resumed',
  'event_released',
  'key_created',
  'key_revoked',
  'login_link_created',
  'signed_in',
  'signed_out',
  'logins_ended',
  'partner_created',
  'partner_deactivated',
  'partner_networks_changed',
  'customer_key_revoked',
  'member_link_created',
  'repair_started',
  'reencryption_started',
  'file_deletion_started',
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];
