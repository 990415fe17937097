import { escapeProperty } from './escape.js'
import { authorizerType, resourceCheckType } from './library/authorizer.js'
import { boolType, type CelType, dynType, listType, mapType, objectType, stringType } from './type.js'

function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return objectType(
    name,
    new Map(Object.entries(fields).map(([field, type]) => [escapeProperty(field) ?? field, { name: field, type }])),
  )
}

const groupVersionKind = struct('kubernetes.GroupVersionKind', {
  group: stringType,
  version: stringType,
  kind: stringType,
})

const groupVersionResource = struct('kubernetes.GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
})

const userInfo = struct('kubernetes.UserInfo', {
  username: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
})

/** The type of the variable `request`: an AdmissionReview's request, without the objects. */
export const admissionRequestType = struct('kubernetes.AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo,
  dryRun: boolType,
  options: dynType,
})

/** The variables of a webhook's match conditions. */
export const matchConditionVariables: Readonly<Record<string, CelType>> = {
  object: dynType,
  oldObject: dynType,
  request: admissionRequestType,
  authorizer: authorizerType,
  'authorizer.requestResource': resourceCheckType,
}
