import manifest from '../../packages/cli/package.json' with { type: 'json' };
import { tooOld } from '../publish/oldest-node.ts';

/** The program of @castellan/cli. An older Node would run it until it came upon what that does not have. */
const refusal = tooOld(process.versions.node);
if (refusal === undefined) {
  const [{ runCommand, terminal }, { publishedCommands }] = await Promise.all([
    import('@castellan/cli'),
    import('./published.ts'),
  ]);
  const version = `castellan ${manifest.version}, Node ${process.version}`;
  process.exitCode = await runCommand(publishedCommands, version, process.argv.slice(2), terminal());
} else {
  process.stderr.write(refusal);
  process.exitCode = 2;
}
