export { admissionRequestType, matchConditionVariables } from './admission.js'
export { CelBudget } from './budget.js'
export {
  CelEvaluationFailure,
  COST_BUDGET,
  type Compilation,
  type CompileOptions,
  compile,
  type EvaluateOptions,
  type Evaluation,
  PER_CALL_COST_LIMIT,
  type Program,
} from './compile.js'
export type { CelLibrary } from './environment.js'
export { escapeProperty } from './escape.js'
export { type CelIssue, formatIssues } from './issue.js'
export { toJson } from './json.js'
export {
  type Authorizer,
  type AuthorizerAnswer,
  type AuthorizerQuestion,
  authorizerType,
  CelAuthorizer,
  resourceCheckType,
} from './library/authorizer.js'
export { allLibraries, kubernetesLibraries, standardLibraries } from './library/index.js'
export { type Overload, overload } from './overload.js'
export { celTypeOf, type JsonSchema, MAX_REQUEST_BYTES, maxCardinality } from './schema-type.js'
export {
  boolType,
  bytesType,
  type CelData,
  type CelField,
  type CelType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  optionalType,
  sameType,
  stringType,
  timestampType,
  uintType,
  withData,
} from './type.js'
export { CelList } from './values/list.js'
export { CelMap } from './values/map.js'
export {
  CelCostExceeded,
  CelDouble,
  CelDuration,
  CelEvalError,
  type CelInt,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './values/value.js'
