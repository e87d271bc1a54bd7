import { z } from 'zod';

/** These differ slightly from the channels of sessions. */
export const AutopilotChannel = z
  .enum(['web', 'email', 'phone', 'whatsapp', 'slack', 'sms', 'instagram', 'messenger', 'api', 'web_voice'])
  .meta({ id: 'AutopilotChannel' });
export type AutopilotChannel = z.infer<typeof AutopilotChannel>;

const AiVersion = z.enum(['v1', 'v2']);
export type AiVersion = z.infer<typeof AiVersion>;
export const DEFAULT_VERSION: AiVersion = 'v2';

export const UpdateAutopilot = z
  .object({
    channel: AutopilotChannel,
    autopilot_enabled: z.boolean().describe('Whether the AI answers on the channel by itself.'),
    ai_agent_version: AiVersion.optional().describe('Absent: stays as it is, v2 at first.'),
  })
  .meta({ id: 'UpdateAutopilot', examples: [{ channel: 'web', autopilot_enabled: true, ai_agent_version: 'v2' }] });
export type UpdateAutopilot = z.infer<typeof UpdateAutopilot>;

export const AutopilotList = z
  .array(
    z.object({
      channel: AutopilotChannel,
      autopilot_enabled: z.boolean(),
      ai_agent_version: AiVersion,
      warnings: z.array(z.string()).describe('What the channel lacks for answers to reach anybody, and what to do.'),
    }),
  )
  .describe('Every channel.');
