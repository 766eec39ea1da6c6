"""Push a built dataset: one commit and one tag; no commit if nothing changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polbias.errors import PublishError
from polbias.generators.engine.build import CARD_FILE
from polbias.publishing.client import connect, hub_errors
from polbias.publishing.plan import PushPlan, changes_between, first_paths, read_snapshot

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def push(plan: PushPlan) -> str:
    """Execute a plan: create the repository if needed, commit once, check the commit, tag it.

    The commit names its parent, so that the Hub rejects it if somebody else pushed in between; the tag is
    set only on a commit with exactly the planned files. After an interruption, a new plan has the remaining
    steps.

    Returns:
        The result as one line for a terminal.
    """
    api = connect()
    if plan.parent is None:
        with hub_errors(plan.repo_id, "creating the repository"):
            api.create_repo(plan.repo_id, repo_type="dataset")
    commit = _commit(api, plan) if plan.changes else None
    with hub_errors(plan.repo_id, f"setting the tag {plan.tag}"):
        api.create_tag(
            plan.repo_id,
            tag=plan.tag,
            tag_message=f"Version {plan.version}",
            revision=commit or plan.parent,
            repo_type="dataset",
        )
    outcome = "published" if commit else "the content was there already, tagged"
    return f"{plan.url}/tree/{plan.tag}: {outcome} as {plan.tag}"


def _commit(api: HfApi, plan: PushPlan) -> str:
    """Commit all changes at once, and check that the Hub has the planned files."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    with hub_errors(plan.repo_id, "uploading"):
        info = api.create_commit(
            plan.repo_id,
            [
                CommitOperationDelete(change.path, is_folder=False)
                if change.action == "delete"
                else CommitOperationAdd(
                    change.path, plan.card if change.path == CARD_FILE else plan.folder / change.path
                )
                for change in plan.changes
            ],
            commit_message=f"Version {plan.version}",
            repo_type="dataset",
            parent_commit=plan.parent,
        )
    stored = read_snapshot(api, plan.repo_id, info.oid)
    differing = changes_between(plan.files, stored.files if stored else {})
    if differing:
        raise PublishError(
            f"{plan.repo_id}: the Hub has other files than planned ({first_paths(differing)}), so {plan.tag} "
            "was not set; was the folder rebuilt meanwhile? Push again"
        )
    return info.oid
