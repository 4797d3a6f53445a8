{{- define "svc.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc-authorizer
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "svc.database" -}}
{{- .Values.database.type | default (get (dict "standalone" "local" "replicated" "postgres" "sidecar" "mem") .Values.mode) -}}
{{- end -}}

{{/* "true" where several nodes share the database. */}}
{{- define "svc.shared" -}}
{{- if has (include "svc.database" .) (list "postgres" "dynamodb" "cosmosdb") }}true{{ end -}}
{{- end -}}

{{- define "svc.userPort" -}}
{{- if eq .Values.mode "sidecar" }}8010{{ else }}8000{{ end -}}
{{- end -}}

{{/* TLS of the listeners that leave the pod; "true" or "". */}}
{{- define "svc.tls" -}}
{{- if .Values.tls.enabled }}true{{ end -}}
{{- end -}}

{{/* The port that is probed, which must leave the loopback of the pod. */}}
{{- define "svc.probe" -}}
httpGet:
  path: {{ .path }}
  port: user
  {{- if include "svc.tls" .root }}
  scheme: HTTPS
  {{- end }}
timeoutSeconds: 3
{{- end -}}

{{/* The configuration: what the chart sets, under what the values say. */}}
{{- define "svc.config" -}}
{{- $sidecar := eq .Values.mode "sidecar" -}}
{{- $certificate := dict "enabled" true "cert_file" "/etc/svc/tls/tls.crt" "key_file" "/etc/svc/tls/tls.key" -}}
{{- $authorizer := dict
      "listen_address" (ternary "127.0.0.1:8001" "0.0.0.0:8001" $sidecar)
      "user_listen_address" (printf "0.0.0.0:%s" (include "svc.userPort" .))
      "shutdown_delay" (printf "%ds" (int .Values.shutdownDelaySeconds))
      "audit" (dict "output" "-" "decisions" "denied") -}}
{{- $config := dict
      "logging" (dict "format" "json")
      "database" (dict "type" (include "svc.database" .) "local" (dict "path" "/data"))
      "authorizer" $authorizer -}}
{{- if not $sidecar -}}
{{- $_ := set $config "listen_address" "0.0.0.0:8000" -}}
{{- end -}}
{{- if .Values.tls.enabled -}}
{{- $_ := set $config "tls" $certificate -}}
{{- if not $sidecar -}}
{{- $_ := set $authorizer "tls" $certificate -}}
{{- end -}}
{{- else if not $sidecar -}}
{{- $_ := set $authorizer "insecure_listen" true -}}
{{- end -}}
{{- if include "svc.shared" . -}}
{{- /* An upgrade never takes an emptied database for a new one. */ -}}
{{- $_ := set $authorizer "replication" (dict "path" "/copy/directory" "create_log" .Release.IsInstall) -}}
{{- $_ := set $authorizer "decision_log" (dict "directory" "/copy/decision-log") -}}
{{- end -}}
{{- if .Values.extAuthz.enabled -}}
{{- $_ := set $authorizer "ext_authz" (dict "listen_address" (ternary "127.0.0.1:8003" "0.0.0.0:8003" $sidecar)) -}}
{{- end -}}
{{- if .Values.datasets -}}
{{- $_ := set $authorizer "datasets" (list "/etc/svc/config/datasets/*") -}}
{{- $_ := set $authorizer "datasets_mode" .Values.datasetsMode -}}
{{- end -}}
{{- $given := deepCopy .Values.config -}}
{{- if .Values.metrics.enabled -}}
{{- $_ := set $authorizer "metrics_address" "0.0.0.0:8002" -}}
{{- $token := dict "name" "prometheus" "token_file" "/etc/svc/metrics/token" "scopes" (list "metrics") -}}
{{- $_ := set $authorizer "tokens" (list $token) -}}
{{- with dig "authorizer" "tokens" list $given -}}
{{- $_ := set $given.authorizer "tokens" (prepend . $token) -}}
{{- end -}}
{{- end -}}
{{ toYaml (mergeOverwrite $config $given) }}
{{- end -}}

{{/* The container of the authorizer. */}}
{{- define "svc.container" -}}
name: authorizer
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [run, --config, /etc/svc/config/config.yaml]
{{- if include "svc.shared" . }}
# Generated credentials of an administrator are kept here.
workingDir: /copy
{{- end }}
env:
  - name: SVC_AUTH_ENCRYPT_SECRET_KEY
    valueFrom: {secretKeyRef: {name: {{ .Values.secret.name }}, key: {{ .Values.secret.encryptSecretKey }}}}
  - name: SVC_AUTH_API_TOKEN
    valueFrom: {secretKeyRef: {name: {{ .Values.secret.name }}, key: {{ .Values.secret.apiToken }}}}
  {{- if eq (include "svc.database" .) "postgres" }}
  - name: SVC_DATABASE_POSTGRES_CONNECTION_STRING
    valueFrom: {secretKeyRef: {name: {{ .Values.secret.name }}, key: {{ .Values.secret.connectionString }}}}
  {{- end }}
  {{- with .Values.tracing.endpoint }}
  - name: OTEL_EXPORTER_OTLP_ENDPOINT
    value: {{ . | quote }}
  - name: OTEL_TRACES_SAMPLER
    value: parentbased_traceidratio
  - name: OTEL_TRACES_SAMPLER_ARG
    value: {{ $.Values.tracing.ratio | quote }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
ports:
  - {name: user, containerPort: {{ include "svc.userPort" . }}}
  {{- if ne .Values.mode "sidecar" }}
  - {name: service, containerPort: 8001}
  {{- if .Values.extAuthz.enabled }}
  - {name: ext-authz, containerPort: 8003}
  {{- end }}
  {{- end }}
  {{- if .Values.metrics.enabled }}
  - {name: metrics, containerPort: 8002}
  {{- end }}
startupProbe:
  {{- include "svc.probe" (dict "root" . "path" "/readyz") | nindent 2 }}
  periodSeconds: 1
  failureThreshold: 120
readinessProbe:
  {{- include "svc.probe" (dict "root" . "path" "/readyz") | nindent 2 }}
  periodSeconds: 2
  failureThreshold: 2
livenessProbe:
  {{- include "svc.probe" (dict "root" . "path" "/healthz") | nindent 2 }}
  periodSeconds: 10
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- include "svc.locked" . | nindent 2 }}
volumeMounts:
  - {name: config, mountPath: /etc/svc/config, readOnly: true}
  - {name: tmp, mountPath: /tmp}
  {{- if .Values.tls.enabled }}
  - {name: tls, mountPath: /etc/svc/tls, readOnly: true}
  {{- end }}
  {{- if .Values.metrics.enabled }}
  - {name: metrics, mountPath: /etc/svc/metrics, readOnly: true}
  {{- end }}
  {{- if include "svc.shared" . }}
  - {name: copy, mountPath: /copy}
  {{- end }}
  {{- if eq .Values.mode "standalone" }}
  - {name: data, mountPath: /data}
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "svc.locked" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* All of a pod but its containers. */}}
{{- define "svc.pod" -}}
{{- if .Values.serviceAccount.create -}}
serviceAccountName: {{ .Values.serviceAccount.name | default (include "svc.name" .) }}
{{- else if .Values.serviceAccount.name }}
serviceAccountName: {{ .Values.serviceAccount.name }}
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
# More than the delay and the 10 s in which requests in flight are finished.
terminationGracePeriodSeconds: {{ add .Values.shutdownDelaySeconds 25 }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.affinity }}
affinity:
  {{- toYaml .Values.affinity | nindent 2 }}
{{- else if ne .Values.mode "standalone" }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      {{- range $key, $weight := dict "kubernetes.io/hostname" 100 "topology.kubernetes.io/zone" 50 }}
      - weight: {{ $weight }}
        podAffinityTerm:
          topologyKey: {{ $key }}
          labelSelector:
            matchLabels:
              {{- include "svc.selector" $ | nindent 14 }}
      {{- end }}
{{- end }}
volumes:
  - name: config
    configMap:
      name: {{ include "svc.name" . }}
      items:
        - {key: config.yaml, path: config.yaml}
        {{- range $file, $_ := .Values.datasets }}
        - {key: {{ printf "dataset-%s" $file }}, path: {{ printf "datasets/%s" $file }}}
        {{- end }}
  - name: tmp
    emptyDir: {}
  {{- if .Values.tls.enabled }}
  - name: tls
    # 288 is 0440.
    secret: {secretName: {{ .Values.tls.secretName }}, defaultMode: 288}
  {{- end }}
  {{- if .Values.metrics.enabled }}
  - name: metrics
    secret:
      secretName: {{ .Values.metrics.tokenSecret }}
      defaultMode: 288
      items: [{key: {{ .Values.metrics.tokenKey }}, path: token}]
  {{- end }}
  {{- if include "svc.shared" . }}
  # The node's copy of the directory: it goes with the pod, the truth is in the database.
  - name: copy
    emptyDir: {sizeLimit: 4Gi}
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "svc.podMetadata" -}}
labels:
  {{- include "svc.labels" . | nindent 2 }}
  {{- with .Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  # A changed configuration restarts the pods.
  checksum/config: {{ printf "%s%s" (include "svc.config" .) (toYaml .Values.datasets) | sha256sum }}
  {{- with .Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
