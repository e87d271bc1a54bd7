import { runCommand } from './commands.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
});
