const VALUE = 'x'.repeat(1024)

/** The JSON of a ConfigMap that holds 1 KiB. */
export function configMap(name) {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"value":"${VALUE}"}}`
}

/** Names of one length, so that every request is equally long. */
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
