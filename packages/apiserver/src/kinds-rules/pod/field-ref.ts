import { fieldInvalid, fieldNotSupported, fieldRequired, isQualifiedName } from '@orrery/kinds/values'
import { reportFormat, type StructCheck } from '../check.js'
import { shown } from '../quantities.js'
import { has, textOf } from '../read.js'

export const ENV_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

/** Every pod field that the downward API knows; each use allows some of them. */
const FIELDS = new Set([...ENV_FIELDS, ...VOLUME_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase'])

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']
const CPU_DIVISORS = ['1m', '1']

/** A reference to a field of the pod. */
export function fieldRef(allowed: readonly string[]): StructCheck {
  return (ref, at, errors) => {
    const path = textOf(ref, 'fieldPath')
    if (textOf(ref, 'apiVersion') === '') return void errors.push(fieldRequired(`${at}.apiVersion`))
    if (path === '') return void errors.push(fieldRequired(`${at}.fieldPath`))
    const [base, key] = subscripted(path)
    if (textOf(ref, 'apiVersion') !== 'v1') {
      const detail = `error converting fieldPath: unsupported pod version: ${textOf(ref, 'apiVersion')}`
      errors.push(fieldInvalid(`${at}.fieldPath`, path, detail))
    } else if (key !== undefined && (base === 'metadata.annotations' || base === 'metadata.labels')) {
      reportFormat(isQualifiedName, base === 'metadata.annotations' ? key.toLowerCase() : key, at, errors)
    } else if (key !== undefined && FIELDS.has(base)) {
      errors.push(
        fieldInvalid(
          `${at}.fieldPath`,
          path,
          `error converting fieldPath: field label does not support subscript: ${path}`,
        ),
      )
    } else if (!FIELDS.has(path)) {
      errors.push(
        fieldInvalid(`${at}.fieldPath`, path, `error converting fieldPath: field label not supported: ${path}`),
      )
    } else if (!allowed.includes(path)) {
      errors.push(fieldNotSupported(`${at}.fieldPath`, path, allowed))
    }
  }
}

/** Splits `metadata.labels['key']`; the key is undefined without a subscript. */
function subscripted(path: string): [base: string, key: string | undefined] {
  const open = path.endsWith("']") ? path.lastIndexOf("['", path.length - 4) : -1
  return open < 0 ? [path, undefined] : [path.slice(0, open), path.slice(open + 2, -2)]
}

/** A reference to a resource of a container, which is required in volumes. */
export function resourceFieldRef(inVolume: boolean): StructCheck {
  return (ref, at, errors) => {
    const resource = textOf(ref, 'resource')
    if (inVolume && textOf(ref, 'containerName') === '') errors.push(fieldRequired(`${at}.containerName`))
    else if (resource === '') errors.push(fieldRequired(`${at}.resource`))
    else if (!RESOURCES.includes(resource) && !isHugePages(resource)) {
      errors.push(fieldNotSupported(`${at}.resource`, resource, RESOURCES))
    }
    if (!has(ref, 'divisor') || shown(ref.divisor) === '0') return
    const isCpu = resource.endsWith('.cpu')
    if ((isCpu ? CPU_DIVISORS : BYTE_DIVISORS).includes(shown(ref.divisor))) return
    const [list, what] = isCpu ? ['1m and 1', 'cpu'] : [BYTE_DIVISORS.join(', '), divisorName(resource)]
    const detail = `only divisor's values ${list} are supported with the ${what} resource`
    errors.push(fieldInvalid(`${at}.divisor`, resource, detail))
  }
}

function isHugePages(resource: string): boolean {
  return resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-')
}

function divisorName(resource: string): string {
  if (isHugePages(resource)) return 'hugepages'
  return resource.endsWith('.memory') ? 'memory' : 'local ephemeral storage'
}
