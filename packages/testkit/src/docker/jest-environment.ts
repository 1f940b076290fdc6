import { TestEnvironment } from 'jest-environment-node';

type CircusEvent = { name: string };
type CircusState = { testNamePattern?: RegExp | null };

const nothing = /(?!)/;

/** Node's environment, in which every test is skipped (and counted so, its hooks not run) once Docker was found missing. */
export default class DockerEnvironment extends TestEnvironment {
  handleTestEvent({ name }: CircusEvent, state: CircusState): void {
    if (name === 'run_start' && process.env.TESTCONTAINERS_SKIP === '1') state.testNamePattern = nothing;
  }
}
