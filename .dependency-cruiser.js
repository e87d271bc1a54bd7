/** Folders of src that know no domain: what several domains build on. */
const GROUND = [
  'collections',
  'concurrency',
  'documents',
  'embedder',
  'html',
  'json-logic',
  'languages',
  'logging',
  'processes',
  'reports',
  'schemas',
  'text',
  'tracing',
];
// Every other folder of src is a domain, and a new domain is covered without a line here.
const domain = `^src/(?!(?:api|cli|db|dev|outbox|providers|repair|temporal|${GROUND.join('|')})/)([^/]+)/`;
const ground = `^src/(${GROUND.join('|')})/`;
const infrastructure = '^src/(api|db|outbox|temporal|providers)/';
const product = '^(src|workflows|activities|worker)/';
const outsideProduct = '^(src/dev|test|bench|scripts)/';

/** A domain's file of this role: service.ts, or messages.service.ts where the domain has two subjects, or in a folder of a subject's own. */
const role = (name) => `.*(?<![^/.])(?:${name})\\.ts$`;
const anyDomain = (roles) => `${domain}${role(roles)}`;
const ownDomain = (roles) => `^src/$1/${role(roles)}`;
/** What requests of every domain share: enumerations and the parts their schemas are built of. */
const sharedSchemas = '^src/schemas/';
/** Rules that know no domain. */
const groundRules = `${ground}${role('rules')}`;
/** Access to lists and objects, without any knowledge of a domain. */
const collections = '^src/collections/';
const npm = (...names) => `node_modules/(?:${names.join('|')})/`;

/** The domains, each above those that it may import: so that no folders form a circle. */
const DOMAINS = [
  'keys',
  'media',
  'contacts',
  'orgs',
  'audit',
  'actions',
  'autopilot',
  'phone-agents',
  'sign-in',
  'partners',
  'desk',
  'notifications',
  'conversations',
  'sla',
  'deliveries',
  'csat',
  'sequences',
  'knowledge',
  'extraction',
  'crawl',
  'exports',
  'imports',
  'recognition',
  'models',
  'ai',
  'tagging',
  'evals',
  'insights',
  'crm',
  'automations',
  'widget',
  'analytics',
  'overview',
  'webhooks',
  'mcp',
  'operations',
];

const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** What these files may import is a list; whatever is not on it is an error. */
const only = (name, comment, path, allowed, exempt = []) =>
  never(name, comment, { path }, { pathNot: allowed, dependencyTypesNot: exempt });

const everywhere = [
  never('no-cycles', 'Modules form no circle, not even by types.', {}, { circular: true }),
  never('no-unresolvable', 'An import leads to a file or an installed package.', {}, { couldNotResolve: true }),
  never(
    'no-undeclared-packages',
    'A package that is used is in package.json.',
    {},
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  ),
  never(
    'no-dev-packages-in-product',
    'Production installs no devDependencies.',
    { path: product, pathNot: outsideProduct },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  never(
    'product-not-to-outside',
    'The product runs without its development stack, tests and measurements.',
    { path: product, pathNot: outsideProduct },
    { path: outsideProduct },
  ),
  never(
    'src-not-to-workflows-activities-worker',
    'src reaches workflows by their contracts, never by their code.',
    { path: '^src/' },
    { path: '^(workflows|activities|worker)/' },
  ),
  never(
    'requests-leave-through-providers',
    'The egress client refuses private addresses and sets limits: only providers hold an HTTP or SMTP client.',
    // The operator's own command fetches the embedding model, from one fixed address. The other one imports into the api that the operator names.
    {
      path: product,
      pathNot: ['^src/providers/', '^src/dev/', '^src/embedder/fetch-model\\.ts$', '^src/cli/import/client\\.ts$'],
    },
    { path: npm('undici', 'nodemailer'), dependencyTypesNot: ['type-only'] },
  ),
];

const betweenDomains = [
  never(
    'no-inside-of-another-domain',
    "Another domain's data is reached through its service.",
    { path: domain },
    { path: anyDomain('queries|table|routes'), pathNot: '^src/$1/' },
  ),
  never(
    'queries-only-to-domain-and-activities',
    'SQL belongs to its domain: only its own files and activities call it, and the sandbox, which keeps what a provider would get.',
    {
      path: ['^src/[^/]+\\.ts$', infrastructure, '^src/dev/', '^(workflows|worker)/'],
    },
    { path: anyDomain('queries') },
  ),
  never(
    'tables-only-to-domain',
    'A table is declared by its domain; nobody else names one.',
    {
      path: ['^src/[^/]+\\.ts$', infrastructure, '^src/dev/', '^(workflows|activities|worker)/'],
      pathNot: '^src/(api|outbox)/',
    },
    { path: anyDomain('table') },
  ),
  never(
    'routes-only-to-app',
    'src/api/app.ts takes one list of routes a domain; nobody else outside the domain imports them.',
    {
      path: ['^src/[^/]+\\.ts$', infrastructure, '^src/dev/', '^(workflows|activities|worker)/'],
      pathNot: '^src/api/app\\.ts$',
    },
    { path: anyDomain('routes') },
  ),
  never(
    'no-domain-knows-partners-automations-crm',
    'partners, automations and crm react to events; no other domain imports them but webhooks, which tell of all.',
    { path: domain, pathNot: '^src/webhooks/' },
    { path: '^src/(partners|automations|crm)/', pathNot: '^src/$1/' },
  ),
  never(
    'no-domain-knows-webhooks',
    'webhooks react to events; no other domain imports them.',
    { path: domain, pathNot: '^src/webhooks/' },
    { path: '^src/webhooks/' },
  ),
];

const order = [
  never(
    'domains-in-order',
    'A domain has its place in the list of DOMAINS.',
    { path: domain, pathNot: `^src/(${DOMAINS.join('|')})/` },
    {},
  ),
  ...DOMAINS.slice(0, -1).map((name, index) =>
    never(
      `${name}-not-up`,
      'A domain imports only domains before it in the list.',
      { path: `^src/${name}/` },
      { path: `^src/(${DOMAINS.slice(index + 1).join('|')})/` },
    ),
  ),
];

const rooms = [
  never(
    'no-inside-of-another-room',
    'Another room of the domain is reached through its service, rules, contract or schema, and the queries that it shares.',
    { path: '^src/([^/]+)/([^/]+)/' },
    {
      path: `^src/$1/[^/]+/${role('queries|routes')}`,
      pathNot: ['^src/$1/$2/', '(?<![^/.])shared\\.queries\\.ts$'],
    },
  ),
];

const roles = [
  only(
    'schema-imports',
    'A schema is built of zod, other schemas, rules and a parser of phone numbers. The country of the current work says whose numbers they are.',
    anyDomain('schema'),
    [
      npm('zod', 'libphonenumber-js'),
      `^src/[^/]+/${role('schema|rules')}`,
      groundRules,
      collections,
      sharedSchemas,
      '^src/processes/current-work\\.ts$',
    ],
  ),
  only('table-imports', 'A table imports only types.', anyDomain('table'), [], ['type-only']),
  only(
    'contract-imports',
    'A contract imports only types: both sides load it.',
    anyDomain('contract'),
    [],
    ['type-only'],
  ),
  only(
    'rules-imports',
    'Rules are pure: types, other rules and contracts, access to collections, escaping and sanitizing of HTML, comparisons, parsers of phone numbers and of replies to e-mails, and the lists of top-level domains and time zones.',
    anyDomain('rules'),
    [
      `^src/[^/]+/${role('rules|contract')}`,
      groundRules,
      collections,
      '^util$',
      npm('libphonenumber-js'),
      npm('email-reply-parser'),
      npm('sanitize-html'),
      npm('tlds', 'tzdata', 'leven'),
      '^src/(recognition/phrases/[a-z]+|csat/survey/words|knowledge/help-center/words|automations/triggers/form-words)\\.json$',
    ],
    ['type-only'],
  ),
  only(
    'queries-imports',
    'Queries know the database, their own table and schema, and the conditions that another domain asks too.',
    anyDomain('queries'),
    [
      '^src/db/',
      '^src/ids\\.ts$',
      groundRules,
      '^src/outbox/announcing\\.ts$',
      ownDomain('queries|conditions|table|schema|rules'),
      npm('kysely'),
    ],
    ['type-only'],
  ),
  never(
    'queries-not-up',
    'Queries know no layer above them, not even by type. What they announce goes through announcing.ts.',
    { path: anyDomain('queries') },
    {
      path: ['^src/(api|outbox|temporal|providers)/', anyDomain('service|routes')],
      pathNot: ['^src/outbox/announcing\\.ts$', sharedSchemas],
    },
  ),
  never(
    'service-not-up',
    'A service does not know who calls it.',
    { path: anyDomain('service|rules|contract|schema|table') },
    {
      path: ['^src/api/edge/', anyDomain('routes'), npm('fastify')],
      pathNot: sharedSchemas,
    },
  ),
  never(
    'service-not-past-its-ports',
    'A service reaches Temporal through the outbox and contracts, third parties through a parameter of the port type; what it reads of their callbacks, templates and texts is pure.',
    { path: anyDomain('service') },
    {
      path: ['^src/(temporal|providers)/', '^src/api/main\\.ts$', npm('@temporalio/[^/]+')],
      pathNot: [
        '^src/temporal/contract\\.ts$',
        '^src/providers/(constant-time|crm/errors|crm/hubspot/webhook-signatures|([^/]+|meta/direct-messages)/(callbacks|templates|filled-template\\.rules|text\\.rules))\\.ts$',
      ],
      dependencyTypesNot: ['type-only'],
    },
  ),
  never(
    'service-writes-no-sql',
    'SQL is in queries.',
    { path: anyDomain('service|routes') },
    { path: npm('kysely', 'pg'), dependencyTypesNot: ['type-only'] },
  ),
  never(
    'routes-imports',
    'Routes speak HTTP and call one function of their own domain.',
    { path: anyDomain('routes') },
    {
      path: ['^src/(outbox|temporal|providers)/', domain],
      pathNot: ['^src/$1/', anyDomain('schema')],
      dependencyTypesNot: ['type-only'],
    },
  ),
];

const layers = [
  only(
    'workflows-imports',
    'Workflow code is replayed: contracts, rules, the types of activities and the SDK; never zod, I/O or time-zone data.',
    '^workflows/',
    [
      '^workflows/',
      '^src/temporal/(contract|search-attributes|request-header)\\.ts$',
      anyDomain('rules|contract'),
      npm('@temporalio/(?:workflow|common|interceptors-opentelemetry)'),
    ],
    ['type-only'],
  ),
  never(
    'workflows-no-time-zones',
    'Time-zone data changes with the runtime: what depends on it is decided in activities.',
    { path: '^workflows/' },
    { path: ['^src/sequences/(gates|forecast)/rules\\.ts$', '/(quiet-hours|time-zones|business-time)\\.rules\\.ts$'] },
  ),
  never(
    'workflows-types-only-of-activities',
    'Types come from activities, contracts and rules as well; nothing else of the product is visible to workflows.',
    { path: '^workflows/' },
    {
      path: '^(src|worker)/',
      pathNot: ['^src/temporal/(contract|search-attributes|request-header)\\.ts$', anyDomain('rules|contract')],
    },
  ),
  never(
    'activities-not-up',
    'Activities call services, queries and providers.',
    { path: '^activities/' },
    { path: ['^src/api/edge/', '^(workflows|worker)/'] },
  ),
  never(
    'http-not-past-service',
    'The edge calls services; it knows no outbox, Temporal or third party.',
    { path: '^src/api/edge/', pathNot: '^src/api/app\\.ts$' },
    { path: '^src/(outbox|temporal|providers)/', dependencyTypesNot: ['type-only'] },
  ),
  never(
    'outbox-not-up',
    'The outbox knows facts and contracts, no domain.',
    { path: '^src/outbox/' },
    { path: ['^src/(api|providers)/', domain], pathNot: anyDomain('contract') },
  ),
  never(
    'temporal-not-up',
    "Temporal's client knows contracts, no domain.",
    { path: '^src/temporal/' },
    { path: ['^src/(api|outbox|providers)/', domain], pathNot: anyDomain('contract') },
  ),
  never(
    'providers-not-up',
    'A provider is a client of one third party and knows nothing of ours.',
    { path: '^src/providers/' },
    { path: ['^src/(api|db|outbox|temporal)/', domain] },
  ),
  never(
    'db-not-up',
    'The database layer points at nobody: domains declare their tables to it.',
    { path: '^src/db/' },
    { path: ['^src/(api|outbox|temporal|providers)/', domain] },
  ),
  only('languages-imports', 'Languages are detected for every domain, by knowing none.', '^src/languages/', [
    sharedSchemas,
    npm('eld'),
  ]),
  never(
    'migrations-are-frozen',
    'A migration imports nothing of the app, so that it never changes.',
    { path: '^src/db/migrations/' },
    { path: '^(src|workflows|activities|worker|test|bench|scripts)/' },
  ),
];

const frontEnds = [
  only(
    'embed-alone',
    'The widget runs in browsers: it imports its own files and Preact, nothing of the server.',
    '^embed/src/',
    ['^embed/src/', npm('preact')],
  ),
  only(
    'sdk-alone',
    'The SDK is for programs of others: it imports its own files, what is generated from the OpenAPI document, and what is bundled into it.',
    '^sdk/src/',
    ['^sdk/(?:src|generated)/', npm('eventsource-parser')],
  ),
  never(
    'embed-not-from-product',
    'The server knows the widget only as built files.',
    { path: product },
    { path: '^embed/' },
  ),
];

export default {
  forbidden: [
    {
      name: 'console-is-a-client',
      comment: 'The console knows the server by its public API alone.',
      severity: 'error',
      from: { path: '^console/src' },
      to: { path: '^(src|workflows|activities|worker|test|bench|scripts)/' },
    },
    ...everywhere,
    ...frontEnds,
    ...betweenDomains,
    ...order,
    ...rooms,
    ...roles,
    ...layers,
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^sdk/(dist|generated)/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
