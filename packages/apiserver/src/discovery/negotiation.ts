import { notAcceptable } from '@orrery/kinds/values'
import type { AggregatedVersion } from './aggregated.js'

/** The form of a discovery document: aggregated, or single documents in JSON or YAML. */
export type DiscoveryForm = AggregatedVersion | 'classic' | 'yaml'

const LEGACY_TYPES = new Set(['application/json', 'application/*', '*/*'])
const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'

/** Returns the content type of a form. */
export function contentTypeOf(form: DiscoveryForm): string {
  if (form === 'yaml') return YAML_TYPE
  return form === 'classic' ? JSON_TYPE : `${JSON_TYPE};g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`
}

/** Returns the first supported form of an `Accept` header. Throws a 406 if there is none. */
export function discoveryForm(accept: string | undefined): DiscoveryForm {
  if (accept === undefined || accept.trim() === '') return 'classic'
  for (const clause of accept.split(',')) {
    const form = formOf(clause)
    if (form !== undefined) return form
  }
  throw notAcceptable([JSON_TYPE, YAML_TYPE])
}

function formOf(clause: string): DiscoveryForm | undefined {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim())
  if (type.toLowerCase() === YAML_TYPE) return parameters.some((one) => one.startsWith('as=')) ? undefined : 'yaml'
  if (!LEGACY_TYPES.has(type.toLowerCase())) return undefined
  const value = (name: string): string | undefined =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1)
  const as = value('as')
  if (as === undefined) return 'classic'
  if (as !== 'APIGroupDiscoveryList' || value('g') !== 'apidiscovery.k8s.io') return undefined
  const version = value('v')
  return version === 'v2' || version === 'v2beta1' ? version : undefined
}
