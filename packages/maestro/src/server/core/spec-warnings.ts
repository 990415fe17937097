import { ManifestWork } from '@orrery/api'
import { type FieldError, fieldInvalid, formatFieldError } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube/log'
import type { Json } from '../store/database.js'
import type { Spec } from './manifests.js'

export interface CheckedSpec {
  readonly id: string
  readonly source: string
  readonly consumerName: string
  readonly spec: Spec
}

/** More are not logged: the names of unknown fields come from clients. */
const MAX_WARNINGS = 1_000
const MAX_TEXT = 300
/** What Go sends for a field that is not set. */
const UNSET = 'Unsupported value: ""'

/**
 * Logs fields and values that ManifestWork does not have, each once for a source. They are not refused, as Maestro does not:
 * agents that are newer than this server can know them.
 */
export function specWarnings(log: Logger): (checked: CheckedSpec) => void {
  const logged = new Set<string>()
  return ({ id, source, consumerName, spec }) => {
    if (logged.size >= MAX_WARNINGS) return
    for (const error of problemsOf(spec)) {
      const problem = formatFieldError(error).slice(0, MAX_TEXT)
      const key = `${source} ${problem.replace(/\[\d+\]/g, '')}`
      if (logged.has(key) || logged.size >= MAX_WARNINGS) continue
      logged.add(key)
      log.warn('a work has a field or a value that agents may ignore', { source, consumer: consumerName, id, problem })
    }
  }
}

function problemsOf({ deleteOption, manifestConfigs, executer }: Spec): FieldError[] {
  if (deleteOption === undefined && manifestConfigs === undefined && executer === undefined) return []
  const parts = { deleteOption, manifestConfigs, executor: executer }
  const spec = Object.fromEntries(Object.entries(parts).flatMap(([name, part]) => (part ? [[name, parsed(part)]] : [])))
  const unsupported = ManifestWork.validate({ spec }).filter(
    ({ reason, body }) => reason === 'FieldValueNotSupported' && !body.startsWith(UNSET),
  )
  const unknown = ManifestWork.unknownFields({ spec })
  return [...unknown.map((path) => fieldInvalid(path, path.split('.').at(-1), 'unknown field')), ...unsupported]
}

/** The database refuses what is no JSON. */
function parsed(json: Json): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return {}
  }
}
