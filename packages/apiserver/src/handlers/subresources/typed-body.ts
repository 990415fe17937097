import type { KubeObject } from '@orrery/kinds'
import { kindSchema } from '@orrery/kinds/tables'
import { badRequest, displayed, formatGroupVersion } from '@orrery/kinds/values'
import { header } from '../../http/exchange.js'
import { decodeBody } from '../../request/decode.js'
import { ConformError, conform } from '../../schema/conform.js'
import { type ResourceCall, readBytes } from '../resource.js'

/**
 * Reads a body of a kind that is never stored: reviews, token requests, bindings, evictions. `alike` lists further
 * versions with the same fields. Throws a 400.
 */
export async function readTyped(
  call: ResourceCall,
  group: string,
  version: string,
  kind: string,
  alike: readonly string[] = [],
): Promise<KubeObject> {
  const bytes = await readBytes(call)
  const { value } = decodeBody(bytes, header(call.exchange, 'content-type'))
  const apiVersion = formatGroupVersion(group, version)
  const isAlike = alike.some((other) => value.apiVersion === formatGroupVersion(group, other))
  const given = `${isAlike ? apiVersion : displayed(value.apiVersion ?? apiVersion)}, Kind=${displayed(value.kind ?? kind)}`
  const schema = kindSchema(group, version, kind)
  if (given !== `${apiVersion}, Kind=${kind}` || schema === undefined) {
    throw badRequest(`this endpoint takes ${apiVersion}, Kind=${kind}, not ${given}`)
  }
  try {
    const object = conform(value, schema).object as unknown as KubeObject
    return { ...object, apiVersion, kind, metadata: object.metadata ?? {} }
  } catch (error) {
    if (error instanceof ConformError)
      throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`)
    throw error
  }
}
