"""Clusters of texts and of tool sets, each in its own space, with the same number of clusters.

Text: TF-IDF (sublinear, words and pairs of words) → TruncatedSVD → unit length → KMeans.
Tools: one column per tool → unit length, so that distance is cosine → KMeans.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.clustering.items import Item

CLUSTERS = 8
COMPONENTS = 50  # of the text space
STARTS = 10  # of KMeans
MOST_PAIRED = 3_000  # items between which distances are taken for the silhouette; of more, so many are drawn


class Space(NamedTuple):
    """One space with its clusters."""

    points: Any  # (item, dimension), unit length
    labels: Any  # (item,) cluster numbers
    silhouette: float | None  # of the clusters in this space, in [-1, 1]; None: a single cluster
    plane: Any  # (item, 2): its two leading directions, for pictures only


def text_space(items: Sequence[Item], clusters: int = CLUSTERS, seed: int = 0) -> Space:
    """The texts of items, clustered."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    weights = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)).fit_transform([i.text for i in items])
    components = max(1, min(COMPONENTS, weights.shape[1] - 1, len(items) - 1))
    reduced = TruncatedSVD(components, random_state=seed).fit_transform(weights)
    return _clustered(normalize(reduced), clusters, seed)


def tool_space(items: Sequence[Item], clusters: int = CLUSTERS, seed: int = 0) -> Space:
    """The tool sets of items, clustered."""
    from sklearn.preprocessing import MultiLabelBinarizer, normalize

    sets = MultiLabelBinarizer().fit_transform([i.tools for i in items])
    return _clustered(normalize(sets.astype(float)), clusters, seed)


def _clustered(points: Any, clusters: int, seed: int) -> Space:
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    distinct = len(np.unique(points.round(9), axis=0))
    labels = KMeans(min(clusters, distinct), n_init=STARTS, random_state=seed).fit_predict(points)
    found = len(set(labels.tolist()))
    silhouette = None
    if 1 < found < len(points):
        most = MOST_PAIRED if len(points) > MOST_PAIRED else None
        silhouette = float(silhouette_score(points, labels, sample_size=most, random_state=seed))
    return Space(points, labels, silhouette, _plane(points))


def _plane(points: Any) -> Any:
    import numpy as np

    centred = points - points.mean(axis=0)
    padded = np.pad(centred, ((0, 0), (0, max(0, 2 - centred.shape[1]))))
    _, _, directions = np.linalg.svd(padded, full_matrices=False)
    leading = directions[:2]
    # The sign of a direction is arbitrary: its largest entry is made positive, so that pictures repeat.
    signs = np.sign(leading[np.arange(len(leading)), np.abs(leading).argmax(axis=1)])
    return padded @ (leading * signs[:, None]).T
