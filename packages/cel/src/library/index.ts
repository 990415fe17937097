import type { CelLibrary } from '../environment.js'
import { bindMacros, standardMacros, twoVariableMacros } from '../macro.js'
import { overload } from '../overload.js'
import { americanFormat } from './american-format.js'
import { arithmetic, comparison } from './arithmetic.js'
import { authorizer } from './authorizer.js'
import { collection, mapInsertion } from './collection.js'
import { conversion } from './conversion.js'
import { format } from './format.js'
import { kubernetesLists, lists, sets } from './lists.js'
import { math } from './math.js'
import { cidr, ip } from './net.js'
import { optional } from './optional.js'
import { plainFormat } from './plain-format.js'
import { quantity } from './quantity.js'
import { regex } from './regex.js'
import { semver } from './semver.js'
import { basicStrings, stringReverse, strings } from './strings.js'
import { time } from './time.js'
import { url } from './url.js'

/** These evaluate their arguments themselves, so they only have signatures. */
const never = (): never => {
  throw new Error('evaluated by the planner')
}

const control: CelLibrary = {
  name: 'control',
  macros: standardMacros,
  overloads: [
    overload('logical_and', '_&&_(bool, bool) -> bool', never),
    overload('logical_or', '_||_(bool, bool) -> bool', never),
    overload('conditional', '_?_:_(bool, A, A) -> A', never),
    overload('not_strictly_false', '@not_strictly_false(bool) -> bool', never),
  ],
}

/** The language itself. */
export const standardLibraries: readonly CelLibrary[] = [
  control,
  comparison,
  arithmetic,
  collection,
  conversion,
  basicStrings,
  time,
]

const commonLibraries: readonly CelLibrary[] = [
  ...standardLibraries,
  optional,
  strings,
  sets,
  { name: 'twoVariables', macros: twoVariableMacros, overloads: mapInsertion.overloads },
  lists,
  kubernetesLists,
  regex,
  url,
  quantity,
  ip,
  cidr,
  semver,
  format,
  authorizer,
]

/** The libraries of every Kubernetes expression. */
export const kubernetesLibraries: readonly CelLibrary[] = [...commonLibraries, americanFormat]

/**
 * The same with the other libraries of cel-go, in their latest version: math, `cel.bind`, `format` and `reverse` of
 * strings.
 */
export const allLibraries: readonly CelLibrary[] = [
  ...commonLibraries,
  plainFormat,
  math,
  stringReverse,
  { name: 'bindings', macros: bindMacros, overloads: [] },
]
