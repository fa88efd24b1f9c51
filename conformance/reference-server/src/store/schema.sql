-- A namespace is known by its path, the JSON array of its parts: no name can be taken for two.
CREATE TABLE namespace (
    key INTEGER PRIMARY KEY,
    parent INTEGER REFERENCES namespace (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    path TEXT NOT NULL UNIQUE,
    properties TEXT NOT NULL,
    UNIQUE (parent, name)
) STRICT;

INSERT INTO namespace (key, parent, name, path, properties) VALUES (1, NULL, '', '[]', '{}');

-- `directory` is set where the server chose the location: the name below its data root.
CREATE TABLE lance_table (
    key INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespace (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    location TEXT NOT NULL,
    directory TEXT,
    properties TEXT NOT NULL,
    only_declared INTEGER NOT NULL,
    UNIQUE (namespace, name)
) STRICT;

-- Every table has the branch 'main', the only one without a parent version. `clock` is the
-- time of the branch's youngest entry, also of one that was deleted since.
CREATE TABLE branch (
    key INTEGER PRIMARY KEY,
    lance_table INTEGER NOT NULL REFERENCES lance_table (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    clock INTEGER NOT NULL,
    parent_branch TEXT,
    parent_version INTEGER,
    created_seconds INTEGER,
    manifest_size INTEGER,
    UNIQUE (lance_table, name)
) STRICT;

-- The primary key is what makes a create put-if-not-exists.
CREATE TABLE version (
    branch INTEGER NOT NULL REFERENCES branch (key) ON DELETE CASCADE,
    version INTEGER NOT NULL CHECK (version >= 0),
    manifest_path TEXT NOT NULL,
    manifest_size INTEGER,
    e_tag TEXT,
    timestamp_millis INTEGER NOT NULL,
    metadata TEXT,
    PRIMARY KEY (branch, version)
) STRICT, WITHOUT ROWID;

-- A tag goes with the version that it names, so that none points at nothing.
CREATE TABLE tag (
    lance_table INTEGER NOT NULL REFERENCES lance_table (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    branch INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (lance_table, name),
    FOREIGN KEY (branch, version) REFERENCES version (branch, version) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX tag_of_version ON tag (branch, version);

-- A record stands for a write that succeeded; others leave none, so there is no status to store.
CREATE TABLE transaction_record (
    id TEXT PRIMARY KEY,
    properties TEXT NOT NULL
) STRICT, WITHOUT ROWID;
