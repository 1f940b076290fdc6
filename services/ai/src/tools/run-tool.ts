import {
  type Action,
  AppError,
  type ErrorCode,
  type FieldError,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRisk,
  GetUsers,
  GetVault,
  ListChains,
  ListFees,
  ListMyVaults,
  ListTimeline,
  ListTransmissions,
  PrepareChange,
  RunSimulation,
} from '@castellan/contracts';
import { type CallAction, toAppError } from '@castellan/service-kit';
import type { Rights } from '../context/rights.ts';
import { prepareChangeTool } from './prepare-change.ts';
import { readTools } from './read-tools.ts';
import type { Tool, ToolResult } from './tool.ts';

/** Everything that may be asked for. There is no way to add one at run time. */
export const tools: readonly Tool[] = [...readTools, prepareChangeTool];

const readActions: readonly Action[] = [
  GetVault,
  ListChains,
  GetOverview,
  GetPerformance,
  GetRisk,
  GetDrawdown,
  RunSimulation,
  GetUsers,
  GetOperations,
  ListFees,
  GetPps,
  GetPpsWhatIf,
  ListTransmissions,
  ListTimeline,
  ListMyVaults,
];

/** The actions a tool of a kind may call. None of them writes; `prepare` adds the one that makes calls to sign. */
export const allowedActions = (kind: Tool['kind']): ReadonlySet<string> =>
  new Set([...readActions, ...(kind === 'prepare' ? [PrepareChange] : [])].map(({ name }) => name));

/** The caller's rights, cut down to what a tool of this kind may call; always as the caller, whatever the tool says. */
function within({ caller, callAction }: Rights, kind: Tool['kind']): Rights {
  const allowed = allowedActions(kind);
  const call: CallAction = (action, params, options = {}) => {
    if (!allowed.has(action.name)) throw new AppError('SCOPE_REQUIRED', 'A tool may not call this.');
    return callAction(action, params, { ...options, caller });
  };
  return { caller, callAction: call };
}

export type ToolOutcome =
  | { ok: true; result: ToolResult }
  | { ok: false; error: { code: ErrorCode; detail: string; errors?: FieldError[] } };

const failed = (error: AppError): ToolOutcome => ({
  ok: false,
  error: {
    code: error.code,
    detail: error.message,
    ...(error.data?.errors === undefined ? {} : { errors: error.data.errors }),
  },
});

/** Runs a tool by name with the rights of the caller. An error is returned as a result that the caller can read. */
export async function runTool(
  name: string,
  args: unknown,
  rights: Rights,
  offered: readonly Tool[] = tools,
): Promise<ToolOutcome> {
  const tool = offered.find((one) => one.name === name);
  if (!tool) {
    const names = offered.map((one) => one.name).join(', ');
    return failed(new AppError('VALIDATION_FAILED', `There is no such tool. The tools are: ${names}.`));
  }
  const parsed = tool.params.safeParse(args);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || '(all)', message }));
    return failed(
      new AppError('VALIDATION_FAILED', `The arguments of ${tool.name} are malformed.`, { data: { errors } }),
    );
  }
  try {
    return { ok: true, result: await tool.run(parsed.data, within(rights, tool.kind)) };
  } catch (error) {
    return failed(toAppError(error));
  }
}
