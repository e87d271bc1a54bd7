{{- define "switchboard.name" -}}
{{- printf "%s" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "switchboard.labels" -}}
app.kubernetes.io/name: switchboard
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "switchboard.image" -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- end -}}

{{/* The processes that there can be at once, with one more of each kind during a roll-out. */}}
{{- define "switchboard.processes" -}}
{{- $count := add 1 (ternary .Values.api.autoscaling.maxReplicas .Values.api.replicas .Values.api.autoscaling.enabled) -}}
{{- range .Values.workers -}}
{{- $scaling := default dict .autoscaling -}}
{{- $count = add $count 1 (ternary $scaling.maxReplicas .replicas (default false $scaling.enabled)) -}}
{{- end -}}
{{- $count -}}
{{- end -}}

{{/* Each queue is polled by one kind of worker. */}}
{{- define "switchboard.checkQueues" -}}
{{- $polled := list -}}
{{- range .Values.workers -}}{{- $polled = concat $polled .queues -}}{{- end -}}
{{- range list "interactive" "bulk" "crawls" "rendering" "embedding" "webhooks" -}}
{{- if not (has . $polled) -}}{{- fail (printf "workers: the queue %s has no worker" .) -}}{{- end -}}
{{- end -}}
{{- if ne (len $polled) (len (uniq $polled)) -}}{{- fail "workers: a queue belongs to two kinds of workers" -}}{{- end -}}
{{- end -}}

{{- define "switchboard.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .Values.user.id }}
runAsGroup: {{ .Values.user.group }}
fsGroup: {{ .Values.user.group }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "switchboard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* The settings of a program: the given ones, and those that the chart decides. `own` are those of the program alone. */}}
{{- define "switchboard.env" -}}
{{- $values := .root.Values -}}
{{- $own := merge (dict "HOME" "/tmp" "OPS_PORT" "9090" "WORKER_OPS_PORT" "9090") .own -}}
{{- $_ := set $own "DATABASE_PROCESSES" (include "switchboard.processes" .root) -}}
{{- $_ := set $own "DRAIN_SECONDS" $values.drainSeconds -}}
{{- $_ := set $own "STOP_GRACE_SECONDS" $values.stopGraceSeconds -}}
{{- range $values.secrets.names -}}
{{- $_ := set $own (printf "%s_FILE" .) (printf "/run/secrets/switchboard/%s" .) -}}
{{- end -}}
{{- if $values.mail.enabled -}}{{- $_ := set $own "INBOUND_SMTP_PORT" "2525" -}}{{- end -}}
{{- if $values.files.existingClaim -}}
{{- $_ := set $own "STORAGE_URL" "file:///var/lib/switchboard/media" -}}
{{- end -}}
{{- range $name, $value := $values.settings -}}
{{- if hasKey $own $name -}}{{- fail (printf "settings.%s: the chart sets it to %v: leave it out" $name (get $own $name)) -}}{{- end }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end -}}
{{- range $name, $value := $own }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end -}}

{{- define "switchboard.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/switchboard, readOnly: true }
{{- if .Values.files.existingClaim }}
- { name: files, mountPath: /var/lib/switchboard/media }
{{- end }}
{{- end -}}

{{- define "switchboard.volumes" -}}
- { name: tmp, emptyDir: {} }
- name: secrets
  secret:
    secretName: {{ .Values.secrets.existingSecret }}
    defaultMode: 0440
    items:
      {{- range .Values.secrets.names }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- if .Values.files.existingClaim }}
- { name: files, persistentVolumeClaim: { claimName: {{ .Values.files.existingClaim }} } }
{{- end }}
{{- end -}}

{{/* A program that starts without Postgres waits for it, so the first probe is patient. */}}
{{- define "switchboard.probes" -}}
startupProbe: { httpGet: { path: /healthz, port: ops }, periodSeconds: 2, failureThreshold: 90 }
livenessProbe: { httpGet: { path: /healthz, port: ops }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
readinessProbe: { httpGet: { path: /readyz, port: ops }, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 2 }
{{- end -}}
