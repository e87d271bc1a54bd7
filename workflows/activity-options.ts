import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

/** A batch of sends. Retries have no limit: the UI shows the failure, and nothing is lost meanwhile. */
export const SEND_BATCH: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** A batch of database work only. Retries continue until the database is back. */
export const DATABASE_BATCH: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/**
 * Database work of some milliseconds within a task of the workflow, which costs the server nothing. While the database is
 * away, the task ends and a timer waits.
 */
export const DATABASE_MOMENT: LocalActivityOptions = {
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
};

/**
 * An evaluation of SLA clocks. Retries have no limit and short intervals, because a late evaluation announces a breach
 * late.
 */
export const EVALUATE_CLOCKS: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

/**
 * A call of a CRM, or a batch of reads. After the first attempt there are three retries, after 1, 2 and 4 s or when the
 * CRM asks for them. The caller then waits for its next round.
 */
export const CRM_CALL: ActivityOptions = {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 4 },
};

/** A call of an org's AI model. Retries have no limit; the model may set the interval. */
export const AI_CALL: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

/**
 * Many texts for an embedding model. A provider that is too slow for all of them at once lets several calls run into their
 * timeout.
 */
export const MANY_TEXTS: ActivityOptions = { startToCloseTimeout: '10 minutes' };

/** A mail with a login link. Whoever asked for it asks again after some minutes. */
export const SEND_LOGIN_MAIL: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '15 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** An action of a customer's workflow. The step itself sets the number of attempts. */
export const RUN_STEP: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/**
 * The first actions of a customer's workflow, within a task of the workflow. After an error each action is an activity,
 * which makes the other attempts.
 */
export const FIRST_STEPS: LocalActivityOptions = { startToCloseTimeout: '2 minutes', retry: { maximumAttempts: 1 } };

/**
 * The runs of a batch, which begins none after a minute. A cancellation waits for the runs under way, so that none of
 * their calls is made again.
 */
export const RUN_BATCH_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** A turn of the AI. After several failures it hands the session off by itself, so that no contact waits for ever. */
export const ANSWER_TURN: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  cancellationType: 'TRY_CANCEL',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
};

/**
 * A summary by an org's model. Without one there is the summary of the conversation's own sentences, so few attempts are
 * enough.
 */
export const MODEL_SUMMARY: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds', maximumAttempts: 5 },
};

/** A question to an org's model about the tags of a session: at most two rounds through its models. */
export const TAG_SUGGESTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

/** A calibration of answers: up to 500 searches. */
export const CALIBRATION: ActivityOptions = {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

/** Learning tags from up to 20,000 sessions, after the other orgs that are before it. */
export const LEARNING: ActivityOptions = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '15 minutes' },
};

/** Some cases of an eval run: each takes at most two minutes. */
export const EVAL_BATCH: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** Tries of webhooks. What receivers answer is no failure of it: retries are for our own database. */
export const SEND_WEBHOOKS: ActivityOptions = {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** A forecast of a large sequence: 200,000 contacts take some tens of seconds. The activity limits its attempts by itself. */
export const FORECAST: ActivityOptions = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** The whole file of an export. Retries have no limit: each begins again. */
export const EXPORT: ActivityOptions = {
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** A list of the tools of an org's MCP server. A server that is away all the time is asked again the next day. */
export const MCP_LISTING: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 3, maximumInterval: '10 minutes', maximumAttempts: 5 },
};
