import type { KubeObject } from '@orrery/kinds'
import type { Container, PodSpec } from '@orrery/kinds/core'
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  type Quantity,
  quantityOf,
  subtractQuantity,
} from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../../admission/types.js'
import { type Amounts, amountsOf } from '../podresources.js'
import { refused } from '../refused.js'
import type { Quota, QuotaLedger } from './ledger.js'
import { addCompute } from './usage.js'

const ZERO = quantityOf(0)
/** Resources that every container must specify if a quota limits them. */
const MUST_BE_SAID: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
])
const COUNTED_ON_UPDATE: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims'])

/** Enforces the quotas of a namespace (ResourceQuota). Runs last, since its reservations count as written. */
export function resourceQuota(ledger: QuotaLedger): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { namespace, object, oldObject, resource } = request
      if (namespace === '' || object === undefined || !changesUsage(request)) return
      const quotas = ledger.quotasIn(namespace)
      if (quotas.size === 0) return
      const { bucket } = resource.storage
      const reserved = new Map<Quota, Amounts>()
      for (const quota of quotas.values()) {
        if (!quota.counts(bucket, object)) continue
        if (bucket === 'pods') requireAmounts(request, quota, (object.spec ?? {}) as Partial<PodSpec>)
        const delta = growth(quota, bucket, object, oldObject)
        checkQuota(request, quota, delta)
        if (delta.size > 0) reserved.set(quota, delta)
      }
      if (reserved.size > 0) request.ifNotWritten(ledger.reserve(bucket, object, reserved))
    },
  }
}

function changesUsage({ operation, subresource, resource }: AdmissionRequest): boolean {
  if (operation === 'CREATE') return subresource === ''
  if (operation !== 'UPDATE' || !COUNTED_ON_UPDATE.has(resource.storage.bucket)) return false
  return subresource === '' || (subresource === 'resize' && resource.storage.bucket === 'pods')
}

/** Returns by how much the usage of an object increases. */
function growth(quota: Quota, bucket: string, object: KubeObject, old: KubeObject | undefined): Amounts {
  const before: Amounts = old === undefined ? new Map() : quota.usageOf(bucket, old)
  const delta = new Map<string, Quantity>()
  for (const [name, amount] of quota.usageOf(bucket, object)) {
    const more = subtractQuantity(amount, before.get(name) ?? ZERO)
    if (compareQuantity(more, ZERO) > 0) delta.set(name, more)
  }
  return delta
}

function checkQuota(request: AdmissionRequest, quota: Quota, delta: Amounts): void {
  const exceeded = [...delta.keys()].filter((name) => {
    const total = addQuantity(quota.committed(name), delta.get(name) ?? ZERO)
    return compareQuantity(total, quota.hard.get(name) ?? ZERO) > 0
  })
  if (exceeded.length === 0) return
  const list = (amountOf: (name: string) => Quantity | undefined) =>
    exceeded
      .sort()
      .map((name) => `${name}=${formatQuantity(amountOf(name) ?? ZERO)}`)
      .join(',')
  const requested = list((name) => delta.get(name))
  const used = list((name) => quota.committed(name))
  const limited = list((name) => quota.hard.get(name))
  throw refused(request, `exceeded quota: ${quota.name}, requested: ${requested}, used: ${used}, limited: ${limited}`)
}

function requireAmounts(request: AdmissionRequest, quota: Quota, spec: Partial<PodSpec>): void {
  const required = [...quota.hard.keys()].filter((name) => MUST_BE_SAID.has(name)).sort()
  if (required.length === 0 || saysForItself(spec)) return
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const missing = required.flatMap((name) => {
    const silent = containers.filter((container) => !says(container, name)).map((container) => container.name)
    return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(',')}`]
  })
  if (missing.length > 0) throw refused(request, `failed quota: ${quota.name}: must specify ${missing.join('; ')}`)
}

function saysForItself({ resources }: Partial<PodSpec>): boolean {
  return Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0
}

function says({ resources }: Container, name: string): boolean {
  const usage = new Map<string, Quantity>()
  addCompute(usage, amountsOf(resources?.requests), amountsOf(resources?.limits))
  return usage.has(name)
}
