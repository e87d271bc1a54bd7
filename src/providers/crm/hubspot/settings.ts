/** The settings of an org's CRM integration. */
export interface HubspotSettings {
  base_url?: string | undefined;
  app_id?: string | undefined;
  /** The HubSpot user named as the author of our messages. */
  ai_user_id?: string | undefined;
  ticketing_enabled?: boolean | undefined;
  pipeline_id?: string | undefined;
  open_stage_id?: string | undefined;
  closed_stage_id?: string | undefined;
  priority?: string | undefined;
  owner_id?: string | undefined;
  signatures?: { domain: string; html: string }[] | undefined;
}
