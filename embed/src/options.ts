/** How a page sets the widget up, by attributes of the script tag or by `initOpenScript`. */
export interface Options {
  host: string;
  token: string;
  language?: string | undefined;
  color?: string | undefined;
  position?: 'left' | 'right' | undefined;
  theme?: 'light' | 'dark' | undefined;
  isOpen?: boolean | undefined;
  openAfterSeconds?: number | undefined;
  /** A token of POST /widget/authenticate-user. */
  userToken?: string | undefined;
  claims?:
    | { name?: string | undefined; email?: string | undefined; customData?: Record<string, string> | undefined }
    | undefined;
  /** Begins the fields of the form before the first message. */
  prefill?: { name?: string | undefined; email?: string | undefined } | undefined;
  collect?: boolean | undefined;
  /** Labels of optional fields of the form before the first message, which begins with the answers. */
  extraFields?: string[] | undefined;
  welcome?: { title?: string | undefined; description?: string | undefined } | undefined;
  sessionData?: Record<string, string> | undefined;
  greetings?: string[] | undefined;
  quickReplies?: string[] | undefined;
  aiName?: string | undefined;
  /** The name of all people who answer, in place of their own. */
  personName?: string | undefined;
  launcherLabel?: string | undefined;
  logo?: string | undefined;
  title?: string | undefined;
  hooks?: Hooks | undefined;
  /** Sent with each message: values for the AI and for HTTP actions. */
  message?:
    | {
        clientContext?: object | undefined;
        headers?: object | undefined;
        query_params?: object | undefined;
        body_properties?: object | undefined;
        custom_data?: object | undefined;
      }
    | undefined;
}

/** What a page of the original has called when something happens, with messages and sessions in the original's form. */
interface Hooks {
  onMessageReceived?(happened: { message: object; session: object }): void;
  onSessionCreated?(happened: { session: object }): void;
  onNavigateToChat?(happened: { session?: object }): void;
}

/** Returns the options of a script tag. Undefined without a token: then the page calls `initOpenScript`. */
export function optionsOfTag(
  host: string,
  { token, lang, color, position, open, theme }: DOMStringMap,
): Options | undefined {
  if (!token) return undefined;
  return {
    host,
    token,
    language: lang,
    color,
    position: position === 'left' || position === 'right' ? position : undefined,
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
    isOpen: open !== undefined && open !== 'false',
  };
}

/** The options of the original widget that have a counterpart. */
interface OriginalOptions {
  token: string;
  apiUrl?: string;
  language?: string;
  isOpen?: boolean;
  openAfterNSeconds?: number;
  theme?: { primaryColor?: string };
  bot?: { name?: string };
  humanAgent?: { name?: string };
  assets?: { organizationLogo?: string };
  initialMessages?: string[];
  advancedInitialMessages?: { message: string }[];
  initialQuestions?: string[];
  collectUserData?: boolean;
  extraDataCollectionFields?: string[];
  prefillUserData?: { name?: string; email?: string };
  user?: {
    token?: string;
    externalId?: string;
    data?: { name?: string; email?: string; customData?: Record<string, string> };
  };
  textContent?: {
    welcomeScreen?: { title?: string; description?: string };
    chatScreen?: { headerTitle?: string };
  };
  accessibility?: { widgetTriggerButton?: { label?: string } };
  context?: object;
  headers?: object;
  queryParams?: object;
  bodyProperties?: object;
  messageCustomData?: object;
  sessionCustomData?: Record<string, string>;
  hooks?: Hooks;
}

const KNOWN =
  'token apiUrl language isOpen openAfterNSeconds theme bot humanAgent assets initialMessages advancedInitialMessages initialQuestions collectUserData extraDataCollectionFields prefillUserData user textContent accessibility context headers queryParams bodyProperties messageCustomData sessionCustomData hooks'.split(
    ' ',
  );

/** Returns the options of the original's `initOpenScript`. Says in the console which ones have no counterpart. */
export function optionsOfOriginal(host: string, given: OriginalOptions): Options {
  const unknown = Object.keys(given).filter((name) => !KNOWN.includes(name));
  if (unknown.length > 0)
    console.info(`Switchboard: these options of initOpenScript are ignored: ${unknown.join(', ')}`);
  const { user, sessionCustomData } = given;
  return {
    host,
    token: given.token,
    language: given.language,
    color: given.theme?.primaryColor,
    isOpen: given.isOpen,
    openAfterSeconds: given.openAfterNSeconds,
    userToken: user?.token,
    claims: user?.data,
    prefill: given.prefillUserData,
    collect: given.collectUserData,
    extraFields: [...new Set(given.extraDataCollectionFields)].filter(
      (field) => !['', 'name', 'email'].includes(field),
    ),
    welcome: given.textContent?.welcomeScreen,
    sessionData: { ...sessionCustomData, ...(user?.externalId && { external_id: user.externalId }) },
    greetings: given.advancedInitialMessages?.map(({ message }) => message) ?? given.initialMessages,
    quickReplies: given.initialQuestions,
    aiName: given.bot?.name,
    personName: given.humanAgent?.name,
    launcherLabel: given.accessibility?.widgetTriggerButton?.label || undefined,
    logo: given.assets?.organizationLogo,
    title: given.textContent?.chatScreen?.headerTitle,
    hooks: given.hooks,
    message: {
      clientContext: given.context,
      headers: given.headers,
      query_params: given.queryParams,
      body_properties: given.bodyProperties,
      custom_data: given.messageCustomData,
    },
  };
}

interface Received {
  id: string;
  text: string;
  sender: string;
  at: string;
  session: object;
}

/** Calls what a page of the original has for these events. */
export function callHooks({ hooks }: Options, on: (event: string, listener: (detail: unknown) => void) => void): void {
  if (!hooks) return;
  on('message', (detail) => {
    const { id, text, sender, at, session } = detail as Received;
    const [type, component] = sender === 'agent' ? ['AGENT', 'agent_message'] : ['AI', 'bot_message'];
    hooks.onMessageReceived?.({ message: { id, type, component, data: { message: text }, timestamp: at }, session });
  });
  on('session', (session) => hooks.onSessionCreated?.({ session: session as object }));
  on('open', (session) => hooks.onNavigateToChat?.(session ? { session: session as object } : {}));
}
