import { X509Certificate } from 'node:crypto'
import type { ServiceReference, WebhookClientConfig } from '@orrery/kinds/admissionregistration'
import type { CustomResourceConversion } from '@orrery/kinds/apiextensions'
import {
  childPath,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  isPortNumber,
} from '@orrery/kinds/values'
import { checkWebhookUrl } from '../../kinds-rules/webhooks.js'

const REVIEW_VERSIONS = ['v1', 'v1beta1']
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** The errors that an update may keep. */
export interface ConversionLeniency {
  readonly unknownReviewVersions: boolean
  readonly badCaBundle: boolean
}

/** Returns the errors of the conversion of a definition. */
export function conversionErrors(
  conversion: CustomResourceConversion,
  path: string,
  leniency: ConversionLeniency,
): FieldError[] {
  const errors: FieldError[] = []
  const strategyPath = childPath(path, 'strategy')
  if (!conversion.strategy) errors.push(fieldRequired(strategyPath))
  else if (conversion.strategy !== 'None' && conversion.strategy !== 'Webhook') {
    errors.push(fieldNotSupported(strategyPath, conversion.strategy, ['None', 'Webhook']))
  }
  const clientPath = childPath(path, 'webhookClientConfig')
  const reviewPath = childPath(path, 'conversionReviewVersions')
  const client = conversion.webhook?.clientConfig
  const versions = conversion.webhook?.conversionReviewVersions ?? []
  if (conversion.strategy === 'Webhook') {
    if (!client) errors.push(fieldRequired(clientPath, 'required when strategy is set to Webhook'))
    else checkClient(client, clientPath, leniency, errors)
    checkReviewVersions(versions, reviewPath, leniency, errors)
  } else {
    const detail = 'should not be set when strategy is not set to Webhook'
    if (client) errors.push(fieldForbidden(clientPath, detail))
    if (versions.length > 0) errors.push(fieldForbidden(reviewPath, detail))
  }
  return errors
}

function checkClient(
  client: WebhookClientConfig,
  path: string,
  leniency: ConversionLeniency,
  errors: FieldError[],
): void {
  if ((client.url === undefined) === (client.service === undefined)) {
    errors.push(fieldRequired(path, 'exactly one of url or service is required'))
  } else if (client.url !== undefined) {
    checkWebhookUrl(client.url, childPath(path, 'url'), errors)
  } else if (client.service !== undefined) {
    checkService(client.service, childPath(path, 'service'), errors)
  }
  if (client.caBundle && !leniency.badCaBundle && !isCaBundle(client.caBundle)) {
    const detail = 'unable to load root certificates: unable to parse bytes as PEM block'
    errors.push(fieldInvalid(childPath(path, 'caBundle'), client.caBundle, detail))
  }
}

function checkService(service: ServiceReference, path: string, errors: FieldError[]): void {
  if (!service.name) errors.push(fieldRequired(childPath(path, 'name')))
  if (!service.namespace) errors.push(fieldRequired(childPath(path, 'namespace')))
  const port = service.port ?? 443
  const portProblems = isPortNumber(port)
  if (portProblems.length > 0) {
    errors.push(fieldInvalid(childPath(path, 'port'), port, `port is not valid: ${portProblems.join(', ')}`))
  }
  if (service.path) checkServicePath(service.path, childPath(path, 'path'), errors)
}

function checkServicePath(urlPath: string, path: string, errors: FieldError[]): void {
  if (urlPath === '/') return
  if (urlPath === '//') {
    errors.push(fieldInvalid(path, urlPath, 'segment[0] may not be empty'))
    return
  }
  if (!urlPath.startsWith('/')) errors.push(fieldInvalid(path, urlPath, "must start with a '/'"))
  const trimmed = urlPath.slice(1, urlPath.length > 1 && urlPath.endsWith('/') ? -1 : undefined)
  for (const [index, segment] of trimmed.split('/').entries()) {
    if (segment === '') {
      errors.push(fieldInvalid(path, urlPath, `segment[${index}] may not be empty`))
      continue
    }
    for (const problem of isDNS1123Subdomain(segment)) {
      errors.push(fieldInvalid(path, urlPath, `segment[${index}]: ${problem}`))
    }
  }
}

/** Returns whether the base64 text contains only certificates. Empty text is valid too. */
export function isCaBundle(base64: string): boolean {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  if (text.trim() === '') return true
  const blocks = text.match(PEM_CERTIFICATE) ?? []
  return blocks.length > 0 && blocks.every(isCertificate)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

function checkReviewVersions(
  versions: readonly string[],
  path: string,
  leniency: ConversionLeniency,
  errors: FieldError[],
): void {
  if (versions.length === 0) {
    errors.push(fieldRequired(path))
    return
  }
  const seen = new Set<string>()
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.push(fieldInvalid(indexPath(path, index), version, 'duplicate version'))
      continue
    }
    seen.add(version)
    for (const problem of isDNS1035Label(version)) errors.push(fieldInvalid(indexPath(path, index), version, problem))
  }
  if (!leniency.unknownReviewVersions && !hasKnownReviewVersion(versions)) {
    errors.push(fieldInvalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`))
  }
}

/** Returns whether the server supports one of the ConversionReview versions of the webhook. */
export function hasKnownReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version))
}
