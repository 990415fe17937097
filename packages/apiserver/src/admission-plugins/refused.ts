import { forbidden, type StatusError } from '@orrery/kinds/values'
import type { AdmissionRequest } from '../admission/types.js'

/** Returns a 403 about the object of a request. */
export function refused({ resource, name, object }: AdmissionRequest, why: string): StatusError {
  const shown = name || object?.metadata.generateName || 'Unknown'
  return forbidden({ group: resource.group, resource: resource.plural }, shown, why)
}
