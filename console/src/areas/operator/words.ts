/** A description and a remedy for each incident. The run book has an entry of the same name. */
export const INCIDENTS: Record<string, { title: string; remedy: string }> = {
  integration_failing: {
    title: 'A connection is refused',
    remedy:
      'The org renews its key at Integrations, names another model where answers cannot be used, or waits until the provider is back: nothing is lost meanwhile.',
  },
  webhook_disabled: {
    title: 'A webhook is disabled',
    remedy: 'The receiver has to answer 2xx again. Then the org enables the endpoint and recovers what was held.',
  },
  sequence_paused: {
    title: 'A sequence has paused itself',
    remedy: 'The reason names what to mend. Then the org resumes it at Outbound.',
  },
  workflow_constraint_error: {
    title: 'A constraint of a workflow fails, so it does not fire',
    remedy: 'The org corrects the constraint of the trigger at Automations.',
  },
  domain_broken: {
    title: 'A record of an e-mail domain is missing',
    remedy: 'The org sets the DNS record that Outbound, Domains shows, and verifies the domain.',
  },
  held_removals: {
    title: 'A crawl holds back removals',
    remedy: 'A person approves or keeps them at Knowledge, Websites: the site may have been away.',
  },
  run_failed: {
    title: 'Runs of a workflow failed in the last week',
    remedy:
      'The run shows the step and its error, and whether it may have taken effect. It is retried there, one or all.',
  },
  workflow_schedule_error: {
    title: 'The Schedule of a workflow could not be made, so it does not run',
    remedy: 'The org corrects the times of the trigger at Automations.',
  },
  unknown_delivery: {
    title: 'Messages without an answer: sent or not',
    remedy: 'The provider knows. The org settles them at Outbound, Deliveries.',
  },
};

/** What operators did. */
export const ACTIONS: Record<string, string> = {
  sending_paused: 'Paused all sending',
  sending_resumed: 'Resumed sending',
  event_released: 'Released an event',
  key_created: 'Created an operator’s key',
  key_revoked: 'Revoked an operator’s key',
  login_link_created: 'Created a link to these pages',
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  logins_ended: 'Ended all sessions and links',
  partner_created: 'Created a partner',
  partner_deactivated: 'Deactivated a partner',
  partner_networks_changed: 'Changed the networks of a partner',
  customer_key_revoked: 'Revoked a key of an org or a partner',
  member_link_created: 'Created a sign-in link for a member',
  repair_started: 'Started a repair of workflows',
  reencryption_started: 'Started to encrypt all stored secrets again',
  file_deletion_started: 'Started to delete files that no row has',
};

export const LIMITS: Record<string, { title: string; remedy: string }> = {
  bytes_written: { title: 'Bytes written today', remedy: 'Raise WRITE_QUOTA_BYTES, or ask what writes so much.' },
  ai_budget: {
    title: 'A budget of the AI is used up',
    remedy: 'The org raises it at AI, Usage, or waits for the next period.',
  },
  active_runs: {
    title: 'Runs are queued behind 100 active ones',
    remedy: 'They run by themselves. Look for steps that hang.',
  },
};
