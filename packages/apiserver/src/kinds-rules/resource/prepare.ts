import type { JsonObject, JsonValue } from '@orrery/kinds'
import { formatTime, isObject } from '@orrery/kinds/values'
import type { Prepare } from '../kind.js'
import { childOf, entriesOf, has, structsOf } from '../read.js'
import { deviceKey } from './claim-status.js'

const resultsOf = (claim: JsonObject | undefined): ReadonlySet<string> =>
  new Set(
    structsOf(childOf(childOf(childOf(claim, 'status'), 'allocation'), 'devices'), 'results').map((one) =>
      deviceKey(one),
    ),
  )

/** The device status of drivers is removed when the devices are deallocated, so that the scheduler need not do it. */
export const resourceClaim: Prepare = (claim, old, subresource) => {
  const status = childOf(claim, 'status')
  if (subresource !== 'status' || old === undefined || !has(status, 'devices')) return
  const kept = resultsOf(claim)
  const released = resultsOf(old)
  const devices = structsOf(status, 'devices').filter(
    (one) => kept.has(deviceKey(one)) || !released.has(deviceKey(one)),
  )
  const { devices: _, ...rest } = status as JsonObject
  claim.status = devices.length === 0 ? rest : { ...rest, devices: [...devices] }
}

const LISTS = ['bools', 'ints', 'strings', 'versions']

const hasLists = (device: JsonValue) =>
  entriesOf(device, 'attributes').some(([, attribute]) => LISTS.some((list) => has(attribute, list)))

/** Drops fields that are alpha in this version unless they are in use, and sets `timeAdded` of taints. */
export const resourceSlice: Prepare = (slice, old, _subresource, now) => {
  const spec = childOf(slice, 'spec')
  const devices = structsOf(spec, 'devices')
  if (spec === undefined || devices.length === 0) return
  const known = structsOf(childOf(old, 'spec'), 'devices')
  const keepsLists = known.some(hasLists)
  const keepsMappings = known.some((one) => entriesOf(one, 'nodeAllocatableResourceMappings').length > 0)
  const time = formatTime(now)
  const prepared = devices.map((device) => {
    const one = { ...device }
    if (!keepsMappings) delete one.nodeAllocatableResourceMappings
    if (!keepsLists && hasLists(one)) one.attributes = withoutLists(one)
    if (has(one, 'taints'))
      one.taints = structsOf(one, 'taints').map((taint) => ({ ...taint, timeAdded: taint.timeAdded ?? time }))
    return one
  })
  slice.spec = { ...spec, devices: prepared }
}

function withoutLists(device: JsonObject): JsonObject {
  return Object.fromEntries(
    entriesOf(device, 'attributes').map(([name, attribute]) => {
      const scalar = isObject(attribute) ? { ...attribute } : {}
      for (const list of LISTS) delete scalar[list]
      return [name, scalar]
    }),
  )
}
