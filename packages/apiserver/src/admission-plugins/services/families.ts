import { type FieldError, fieldInvalid, invalid } from '@orrery/kinds/values'
import { isIpv6 } from '../../kinds-rules/network.js'
import type { Family } from './network.js'
import { NONE, needsClusterIp, type ServiceSpec, sameClusterIps, sameList } from './spec.js'

const POLICY = 'spec.ipFamilyPolicy'

/** The IP families of the cluster, the default one first. */
export type Families = readonly [Family, ...Family[]]

/** Sets the IP families of a Service in place. Throws a 422 for families that the cluster does not have. */
export function decideFamilies(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  families: Families,
  name: string,
): void {
  if (!needsClusterIp(spec) || (before !== undefined && keepsPreference(spec, before))) return
  const errors: FieldError[] = []
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (isBare(spec) ? 'RequireDualStack' : 'SingleStack')
  if (before !== undefined) checkReduction(spec, before, errors)
  checkSingle(spec, errors)
  inferFamilies(spec, families, errors)
  refuse(name, errors)
  if (isBare(spec)) {
    const [first = families[0], ...rest] = spec.ipFamilies ?? []
    const more = rest.length > 0 || spec.ipFamilyPolicy === 'SingleStack' ? rest : [otherFamily(first)]
    spec.ipFamilies = [first, ...more]
    return
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack' && families.length < 2) {
    errors.push(fieldInvalid(POLICY, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'))
  }
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (!families.includes(family))
      errors.push(fieldInvalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
  }
  refuse(name, errors)
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [families[0]]
  const [first, second] = spec.ipFamilies ?? []
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 2 && first !== undefined && second === undefined) {
    spec.ipFamilies = [first, otherFamily(first)]
  }
}

/** Headless without a selector: the writer of the endpoints decides about their families. */
function isBare({ clusterIP, selector = {} }: ServiceSpec): boolean {
  return clusterIP === NONE && Object.keys(selector).length === 0
}

/** A Service with `PreferDualStack` keeps its families until its spec changes. */
function keepsPreference(spec: ServiceSpec, before: ServiceSpec): boolean {
  return (
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    before.type === spec.type &&
    (before.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    sameClusterIps(spec, before) &&
    sameList(spec.ipFamilies, before.ipFamilies)
  )
}

function checkReduction(spec: ServiceSpec, before: ServiceSpec, errors: FieldError[]): void {
  const { clusterIPs = [], ipFamilies = [] } = spec
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (sameClusterIps(spec, before) && clusterIPs.length > 1) spec.clusterIPs = clusterIPs.slice(0, 1)
    if (sameList(ipFamilies, before.ipFamilies) && ipFamilies.length > 1) spec.ipFamilies = ipFamilies.slice(0, 1)
    return
  }
  const isReduced = (now: readonly unknown[], then: readonly unknown[] = []) =>
    now.length > 0 && now.length < then.length && now[0] === then[0]
  const must = (what: string) => `must be 'SingleStack' to release the secondary ${what}`
  if (isReduced(clusterIPs, before.clusterIPs))
    errors.push(fieldInvalid(POLICY, spec.ipFamilyPolicy, must('cluster IP')))
  if (isReduced(ipFamilies, before.ipFamilies))
    errors.push(fieldInvalid(POLICY, spec.ipFamilyPolicy, must('IP family')))
}

function checkSingle({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec, errors: FieldError[]): void {
  if (ipFamilyPolicy !== 'SingleStack') return
  const must = (what: string) => `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
  if (clusterIPs.length === 2) errors.push(fieldInvalid(POLICY, ipFamilyPolicy, must('cluster IPs')))
  if (ipFamilies.length === 2) errors.push(fieldInvalid(POLICY, ipFamilyPolicy, must('IP families')))
}

function inferFamilies(spec: ServiceSpec, families: Families, errors: FieldError[]): void {
  const { clusterIPs = [] } = spec
  if (clusterIPs[0] === NONE) return
  const inferred = [...(spec.ipFamilies ?? [])]
  for (const [i, ip] of clusterIPs.entries()) {
    if (i < inferred.length) continue
    const family = isIpv6(ip) ? 'IPv6' : 'IPv4'
    if (families.includes(family)) inferred.push(family)
    else errors.push(fieldInvalid(`spec.clusterIPs[${i}]`, clusterIPs, `${family} is not configured on this cluster`))
  }
  if (inferred.length > 0) spec.ipFamilies = inferred
}

function otherFamily(family: Family): Family {
  return family === 'IPv4' ? 'IPv6' : 'IPv4'
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, name, errors)
}
