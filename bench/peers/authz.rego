# The same questions for OPA: users and groups are data, and the statements of a group are found by their repository, so
# that a question looks at one statement of the group's thousand.
package authz

default allow := false

allow if {
	not denied
	some statement in candidates
	statement.effect == "allow"
	matches(statement)
}

denied if {
	some statement in candidates
	statement.effect == "deny"
	matches(statement)
}

repository := split(input.resource, "/")[1]

candidates contains statement if {
	some group in data.users[input.user]
	some statement in data.groups[group][repository]
}

matches(statement) if {
	some action in statement.action
	glob.match(action, null, input.action)
	glob.match(replace(statement.resource, "${user}", input.user), null, input.resource)
}
