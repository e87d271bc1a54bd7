import { z } from 'zod';

/** A voice for phone agents. */
export const PhoneVoice = z
  .object({
    id: z.string(),
    name: z.string(),
    gender: z.enum(['female', 'male']).optional(),
    accent: z.string().optional().describe('How it sounds in English.'),
    language: z.string().optional().describe('The language that it is made for, if it is made for one.'),
  })
  .meta({ id: 'PhoneVoice' });
export type PhoneVoice = z.infer<typeof PhoneVoice>;

export const PhoneModel = z
  .object({ id: z.string(), is_default: z.boolean().describe('Whether agents have it that name none.') })
  .meta({ id: 'PhoneModel' });

/**
 * The voices of the voice platform with its descriptions (docs.vapi.ai/providers/voice/vapi-voices), for orgs that have
 * not connected it. Retired ones are left out.
 */
export const PHONE_VOICES: PhoneVoice[] = [
  { id: 'Elliot', name: 'Elliot', gender: 'male', accent: 'Canadian' },
  { id: 'Savannah', name: 'Savannah', gender: 'female', accent: 'American (Southern)' },
  { id: 'Rohan', name: 'Rohan', gender: 'male', accent: 'Indian American' },
  { id: 'Emma', name: 'Emma', gender: 'female', accent: 'Asian American' },
  { id: 'Clara', name: 'Clara', gender: 'female', accent: 'American' },
  { id: 'Nico', name: 'Nico', gender: 'male', accent: 'American' },
  { id: 'Kai', name: 'Kai', gender: 'male', accent: 'American' },
  { id: 'Sagar', name: 'Sagar', gender: 'male', accent: 'Indian American' },
  { id: 'Godfrey', name: 'Godfrey', gender: 'male', accent: 'American' },
  { id: 'Neil', name: 'Neil', gender: 'male', accent: 'Indian American' },
  { id: 'Layla', name: 'Layla', gender: 'female', accent: 'American' },
  { id: 'Sid', name: 'Sid', gender: 'male', accent: 'American' },
  { id: 'Naina', name: 'Naina', gender: 'female', accent: 'Indian American' },
  { id: 'Leo', name: 'Leo' },
  { id: 'Zoe', name: 'Zoe' },
  { id: 'Mia', name: 'Mia' },
  { id: 'Jess', name: 'Jess' },
  { id: 'Zac', name: 'Zac' },
  { id: 'Dan', name: 'Dan' },
  { id: 'Leah', name: 'Leah' },
  { id: 'Tara', name: 'Tara' },
];
