type Settings = Readonly<Record<string, unknown>>;

/** Settings without effect beside the others of a connection: their names, when that is so, and why. */
interface WithoutEffect {
  kind: string;
  names: string[];
  isSo(settings: Settings): boolean;
  because: string;
}

const WITHOUT_EFFECT: WithoutEffect[] = [
  {
    kind: 'email',
    names: ['password', 'allow_unencrypted_login'],
    isSo: ({ username }) => username === undefined,
    because: 'username is not set, and mail is sent without signing in',
  },
  {
    kind: 'email',
    names: ['dkim'],
    isSo: () => true,
    because: 'e-mail is signed with the key of its verified domain: PUT /email/domains',
  },
  {
    kind: 'crm',
    names: ['token_path'],
    isSo: ({ oauth }) => oauth === undefined,
    because: 'only oauth gets tokens there',
  },
  {
    kind: 'crm',
    names: ['pipeline_id', 'open_stage_id', 'priority', 'owner_id'],
    isSo: ({ ticketing_enabled }) => ticketing_enabled === false,
    because: 'ticketing_enabled is false, and no ticket is created',
  },
  {
    kind: 'miaw',
    names: ['auth_key_id'],
    isSo: ({ private_key }) => private_key === undefined,
    because: 'end users are verified with private_key too',
  },
  {
    kind: 'miaw',
    names: ['private_key'],
    isSo: ({ auth_key_id }) => auth_key_id === undefined,
    because: 'end users are verified with auth_key_id too',
  },
];

/** Returns which settings of a connection nothing reads beside its others, each with the reason. */
export const settingsWithoutEffect = (kind: string, settings: Settings): string[] =>
  WITHOUT_EFFECT.filter((one) => one.kind === kind && one.isSo(settings)).flatMap(({ names, because }) =>
    names.filter((name) => isSet(settings[name])).map((name) => `${name} has no effect: ${because}`),
  );

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;
