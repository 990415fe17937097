const VALUE = 'x'.repeat(1024)

/** The JSON of a ConfigMap with 1 KiB of data. */
export function configMap(name) {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"value":"${VALUE}"}}`
}

/** Names of one length, so that all requests have the same length. */
export function numberedName(number) {
  return `cm-${String(number).padStart(8, '0')}`
}

export function namespace(name) {
  return `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`
}

export function ofNamespace(name) {
  return `/api/v1/namespaces/${name}/configmaps`
}

export const COLLECTION = ofNamespace('default')
export const LIST_NAMESPACE = 'listed'
