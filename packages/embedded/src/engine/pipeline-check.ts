import { refuse } from './errors.ts';
import { checkExpression, operatorNames } from './expressions.ts';
import { compileFilter, type Evaluate } from './match.ts';
import { type Doc, isDoc, isNumeric, promote, toNumber } from './values/types.ts';

/** Stages MongoDB has and this store does not. */
const unsupportedStages = new Set([
  '$out',
  '$merge',
  '$documents',
  '$geoNear',
  '$collStats',
  '$indexStats',
  '$planCacheStats',
  '$currentOp',
  '$listSessions',
  '$listLocalSessions',
  '$search',
  '$searchMeta',
  '$vectorSearch',
]);

/**
 * Checks stages and operators before anything is read.
 * @throws {StoreError} 40323, 40324, NotImplemented, InvalidPipelineOperator and what `$match` refuses.
 */
export function checkPipeline(pipeline: unknown, evaluate: Evaluate): Doc[] {
  if (!Array.isArray(pipeline)) return refuse(14, "'pipeline' option must be specified as an array");
  return pipeline.map((stage) => {
    if (!isDoc(stage)) return refuse(14, 'Each element of the pipeline array must be an object');
    const names = Object.keys(stage);
    const [name = ''] = names;
    if (names.length !== 1) refuse(40323, 'A pipeline stage specification object must contain exactly one field.');
    if (name === '$changeStream') refuse(40573, 'The $changeStream stage is only supported on replica sets');
    if (unsupportedStages.has(name)) refuse(238, `The ${name} stage is not supported by the embedded store`);
    if (!operatorNames.stage.has(name)) refuse(40324, `Unrecognized pipeline stage name: '${name}'`);
    checkStage(name, stage[name], evaluate);
    return stage;
  });
}

function checkStage(name: string, spec: unknown, evaluate: Evaluate): void {
  switch (name) {
    case '$match':
      if (!isDoc(spec)) refuse(15959, 'the match filter must be an expression in an object');
      compileFilter(spec, evaluate);
      return;
    case '$limit':
    case '$skip':
      checkCount(name, spec);
      return;
    case '$facet':
      if (!isDoc(spec)) refuse(40169, 'the $facet specification must be a non-empty object');
      for (const pipeline of Object.values(spec)) checkPipeline(pipeline, evaluate);
      return;
    case '$lookup':
    case '$unionWith':
      checkNested(spec, evaluate);
      return;
    case '$group':
      checkGroup(spec);
      return;
    case '$sort':
    case '$graphLookup':
      return;
  }
  checkExpression(promote(spec));
}

function checkCount(name: string, spec: unknown): void {
  const value = toNumber(spec);
  const least = name === '$limit' ? 1 : 0;
  if (isNumeric(spec) && Number.isInteger(value) && value >= least) return;
  refuse(15958, `invalid argument to ${name} stage: the value must be ${least === 1 ? 'positive' : 'non-negative'}`);
}

function checkNested(spec: unknown, evaluate: Evaluate): void {
  if (!isDoc(spec)) return;
  if (spec.pipeline !== undefined) checkPipeline(spec.pipeline, evaluate);
  checkExpression(promote(spec.let));
}

function checkGroup(spec: unknown): void {
  if (!isDoc(spec)) refuse(15947, "a group's fields must be specified in an object");
  if (!Object.hasOwn(spec, '_id')) refuse(15955, 'a group specification must include an _id');
  checkExpression(promote(spec._id));
  for (const [field, accumulator] of Object.entries(spec)) {
    if (field === '_id') continue;
    const [operator] = isDoc(accumulator) ? Object.keys(accumulator) : [];
    if (!isDoc(accumulator) || !operator?.startsWith('$'))
      refuse(40234, `The field '${field}' must be an accumulator object`);
    if (Object.keys(accumulator as Doc).length !== 1)
      refuse(40238, `The field '${field}' must specify one accumulator`);
    if (!operatorNames.accumulator.has(operator as string)) refuse(15952, `unknown group operator '${operator}'`);
    checkExpression(promote((accumulator as Doc)[operator as string]));
  }
}
