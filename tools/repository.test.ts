import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** What GitHub itself would refuse in a workflow: the parser of its editor extension, with GitHub's own schema. */
async function faultsOf(content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name: 'ci.yml', content }, new NoOperationTraceWriter());
  if (!value) return context.errors.getErrors().map((error) => error.message);
  await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map((error) => error.message);
}

type Defaults = { run?: { shell?: string } };
type Step = { uses?: string; run?: string; shell?: string };
type Job = { steps: Step[]; 'timeout-minutes'?: number; defaults?: Defaults };
type Workflow = { permissions: unknown; defaults?: Defaults; jobs: Record<string, Job> };

/** Steps in which a command of a pipe fails unnoticed: the shell that GitHub takes where none is named has no pipefail. */
const stepsWithoutPipefail = ({ defaults, jobs }: Workflow): string[] =>
  Object.values(jobs).flatMap((job) =>
    job.steps.flatMap(({ run = '', shell = job.defaults?.run?.shell ?? defaults?.run?.shell }) =>
      /[^|]\|[^|]/.test(run) && shell !== 'bash' ? [run] : [],
    ),
  );

describe('.github/workflows', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root });

  test('default: every workflow keeps to the schema of GitHub', async () => {
    expect(files).toContain('.github/workflows/ci.yml');
    for (const file of files) expect([file, await faultsOf(read(file))]).toEqual([file, []]);
  });

  test('error: a misspelt key, an unknown context and a missing runner are found', async () => {
    const ci = read('.github/workflows/ci.yml');
    expect(await faultsOf(ci.replace('timeout-minutes', 'timeout-minute'))).toEqual([
      expect.stringContaining("Unexpected value 'timeout-minute'"),
    ]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub.
    expect(await faultsOf(ci.replace('${{ github.ref }}', '${{ nobody.ref }}'))).toEqual([
      expect.stringContaining("Unrecognized named-value: 'nobody'"),
    ]);
    expect(await faultsOf(ci.replace(/runs-on: .*/, ''))).toEqual([expect.stringContaining('runs-on')]);
  });

  test('behavior: actions are named by a version, rights are read-only, and no job runs without an end', () => {
    for (const file of files) {
      const workflow = parse(read(file)) as Workflow;
      expect(workflow.permissions).toEqual({ contents: 'read' });
      for (const job of Object.values(workflow.jobs)) {
        expect(job['timeout-minutes']).toBeGreaterThan(0);
        for (const { uses } of job.steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
      }
    }
  });

  test('behavior: a command that fails ends its step, in a pipe too', () => {
    for (const file of files) expect([file, stepsWithoutPipefail(parse(read(file)) as Workflow)]).toEqual([file, []]);
  });

  test('error: a pipe in the shell that GitHub takes by itself is found, an alternative is not', () => {
    const workflow = (step: Step, defaults?: Defaults): Workflow => ({
      permissions: {},
      jobs: { a: { steps: [step] } },
      ...(defaults && { defaults }),
    });
    const run = 'try | tee summary';
    expect(stepsWithoutPipefail(workflow({ run }))).toEqual([run]);
    expect(stepsWithoutPipefail(workflow({ run, shell: 'sh' }, { run: { shell: 'bash' } }))).toEqual([run]);
    expect(stepsWithoutPipefail(workflow({ run, shell: 'bash' }))).toEqual([]);
    expect(stepsWithoutPipefail(workflow({ run }, { run: { shell: 'bash' } }))).toEqual([]);
    expect(stepsWithoutPipefail(workflow({ run: 'test -f a || exit 1' }))).toEqual([]);
  });

  test('behavior: the workflow runs what a contributor runs', () => {
    const { jobs } = parse(read('.github/workflows/ci.yml')) as Workflow;
    expect(Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))).toEqual([
      '.ci/run',
      'npm run docs',
      '.ci/store',
      '.ci/images',
    ]);
    for (const script of ['.ci/run', '.ci/store', '.ci/images', '.githooks/pre-commit'])
      expect(statSync(join(root, script)).mode & 0o111).toBe(0o111);
  });
});

describe('the top of the repository', () => {
  test('default: the licence is the text of Apache-2.0, and every package names it', () => {
    // Of the text as the Apache Software Foundation publishes it.
    const digest = createHash('sha256').update(read('LICENSE').trim()).digest('hex');
    expect(digest).toBe('283ea6cc2997a1a70da0049e09adf9317bb60ca1b51279b65196b83a69e1996b');
    for (const file of ['package.json', ...globSync('{packages,services}/*/package.json', { cwd: root })])
      expect([file, (JSON.parse(read(file)) as { license: string }).license]).toEqual([file, 'Apache-2.0']);
  });

  test('behavior: links between its pages, and the folders of CODEOWNERS, exist', () => {
    for (const page of ['README', 'CONTRIBUTING', 'SECURITY', 'CODE_OF_CONDUCT', 'CHANGELOG']) {
      const targets = [...read(`${page}.md`).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => String(target));
      for (const target of targets)
        expect([page, target, existsSync(join(root, target))]).toEqual([page, target, true]);
    }
    const folders = [...read('.github/CODEOWNERS').matchAll(/^\/(\S+)/gm)].map(([, folder]) => String(folder));
    for (const folder of folders) expect([folder, existsSync(join(root, folder))]).toEqual([folder, true]);
  });

  test('behavior: updates are proposed for every place that holds versions', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; directory?: string }[];
    };
    expect(updates.map((update) => update['package-ecosystem'])).toEqual([
      'npm',
      'github-actions',
      'docker',
      'docker-compose',
    ]);
    const docker = updates.find((update) => update['package-ecosystem'] === 'docker');
    expect(docker?.directory).toBe('/');
    expect(globSync('**/Dockerfile', { cwd: root, exclude: ['**/node_modules'] })).toEqual(['Dockerfile']);
  });

  test('behavior: every field of an issue form has an id of its own and a label', () => {
    for (const file of globSync('.github/ISSUE_TEMPLATE/{bug,feature}.yml', { cwd: root })) {
      const { body } = parse(read(file)) as {
        body: { type: string; id?: string; attributes: { label?: string } }[];
      };
      const fields = body.filter(({ type }) => type !== 'markdown');
      expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
      for (const field of fields) expect([file, field.id, field.attributes.label]).not.toContain(undefined);
    }
  });
});
